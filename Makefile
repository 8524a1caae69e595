# Every command is a function of tools/__main__.py, which says what it does: `make` alone lists
# them. Without make, `python -m tools COMMAND NAME=value` is the same.
PYTHON ?= python3
COMMANDS := help install requirements book pdf picture translator adder serve test save execute check format \
	assignments private grade feedback similarity gradescope questions exam scores attention pretraining counting \
	post_training tool_calls evaluation one_vector heads own_text recall serving bench differences colab cuda \
	release clean

.DEFAULT_GOAL := help
.PHONY: $(COMMANDS)
.NOTPARALLEL:
$(COMMANDS):
	@$(PYTHON) -m tools $@
