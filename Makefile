# Every command is a function of tools/__main__.py, which says what it does: `make` alone lists
# them. Without make, `python -m tools COMMAND NAME=value` is the same.
PYTHON ?= python3
COMMANDS := help install requirements book pdf picture serve differences measure test save execute check format \
	assignments private grade feedback similarity gradescope questions exam colab cuda release clean

.DEFAULT_GOAL := help
.PHONY: $(COMMANDS)
.NOTPARALLEL:
$(COMMANDS):
	@$(PYTHON) -m tools $@
