.DEFAULT_GOAL := help
PYTHON ?= python3
PORT ?= 8000
NB ?=
DEVICE = cpu
BOOK_FLAGS ?=
COURSE ?= _build/assignments
REPO ?=
export REPO
COLAB_PACKAGES := gguf ipykernel ipython matplotlib mlxtend numpy pandas sacrebleu safetensors scikit-learn \
	tokenizers tqdm transformers hypothesis nbclient nbval pytest-xdist requests scipy
ASSIGNMENT ?=
STUDENT ?=

BIN := .venv/bin
ENV := .venv/.installed
GRADING := .venv/.grading

# Tests and notebooks see a GPU only with DEVICE=cuda; then the tests are those marked gpu.
ifeq ($(DEVICE),cuda)
GPU_TESTS := -m gpu
else ifeq ($(DEVICE),cpu)
test: export CUDA_VISIBLE_DEVICES :=
else
$(error DEVICE must be cpu or cuda, not $(DEVICE))
endif

.PHONY: help book slides pdf test save execute check format assignments grade feedback similarity bench colab serve clean

help:  ## show this help
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' Makefile

book: $(ENV)  ## render the book to _build/html (with links to it: REPO=owner/name)
	@$(BIN)/jupyter-book build . $(BOOK_FLAGS)
	@$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir _build/html .
	@rm -rf build
	@$(BIN)/python -m tools.build.standalone _build/html/_sources/notebooks/*.ipynb \
		_build/html/_sources/notebooks/further/*.ipynb
	@$(BIN)/python -m tools.build.exercises _build/html/_sources/notebooks/exercises
	@$(BIN)/python -m tools.build.slides
	@echo "The book is ready: open _build/html/index.html in a browser."

slides: $(ENV)  ## write slides of each chapter to _build/html/slides, as make book does too
	@$(BIN)/python -m tools.build.slides

pdf: book  ## print the book into PDF files beside its pages (needs Chromium or Chrome)
	@$(BIN)/python -m tools.build.pdf

test: check  ## check, run pytest, re-run and compare every notebook (on a GPU: DEVICE=cuda)
ifeq ($(DEVICE),cuda)
	@$(BIN)/python -c 'import sys, torch; torch.cuda.is_available() or sys.exit("no CUDA device here")'
endif
	$(BIN)/python -m pytest -n 2 --dist loadfile -rs $(GPU_TESTS) tests
	$(BIN)/python -m pytest --nbval --nbval-current-env -n 2 --dist loadfile \
		--no-loadscope-reorder notebooks

save: $(ENV)  ## write the package d2lmini from the notebooks' #@save cells
	$(BIN)/python -m tools.build.save

execute: $(ENV)  ## run the notebooks and store their outputs (one: NB=notebooks/02_...ipynb)
	$(BIN)/python -m tools.build.execute $(NB)

check: $(ENV)  ## lint code and notebooks, and see that the package is up to date
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python -m tools.build.save --check

format: $(ENV)  ## format code and notebooks in place
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

assignments: $(GRADING)  ## write the exercises as an nbgrader course to _build/assignments (or COURSE=...)
	$(BIN)/python -m grading.assignments --course $(COURSE)

grade: $(GRADING)  ## grade what was handed in (ASSIGNMENT=01_queries_keys_values COURSE=... STUDENT=...)
	$(BIN)/python -m grading.grade --course $(COURSE) $(if $(STUDENT),--student "$(STUDENT)") $(ASSIGNMENT)

feedback: $(GRADING)  ## write pages and tables anew, after grading by hand (as for grade)
	$(BIN)/python -m grading.grade --feedback --course $(COURSE) $(if $(STUDENT),--student "$(STUDENT)") $(ASSIGNMENT)

similarity: $(GRADING)  ## compare graded code with the published solutions, and with each other (as for grade)
	$(BIN)/python -m grading.similarity --course $(COURSE) $(ASSIGNMENT)

bench: $(ENV)  ## measure time and memory against d2l and torch.nn, in some minutes
	$(BIN)/python -m tools.measure.bench

colab:  ## run the package's tests and the chapters with the versions that Colab has
	$(PYTHON) -m venv _build/colab
	_build/colab/bin/python -m pip install --quiet --constraint .github/constraints-colab.txt \
		"torch>=2.6,<2.14" $(COLAB_PACKAGES)
	_build/colab/bin/python -m pip install --quiet --no-deps --requirement requirements-no-deps.txt
	bash tests/as_in_colab.sh _build/colab/bin/python

serve: book  ## build the book and serve it on http://localhost:8000 (PORT=...)
	$(BIN)/python -m http.server $(PORT) --bind localhost --directory _build/html

clean:  ## remove what was built (the environment stays, and a course with its gradebook)
	@if [ -e _build/assignments/submitted ]; then echo "clean: keeping _build/assignments, with what students handed in"; else rm -rf _build/assignments; fi
	rm -rf $(filter-out _build/assignments,$(wildcard _build/*)) .pytest_cache .ruff_cache .hypothesis d2lmini.egg-info

# The environment: the pinned requirements, this package, and what comes without its own
# requirements. Its stamp says where it was made, since it does not work anywhere else: in a
# clone that was moved it is made anew.
ifneq ($(shell cat $(ENV) 2>/dev/null),$(CURDIR))
.PHONY: $(ENV)
endif
$(ENV): requirements.txt requirements-no-deps.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("d2lmini needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + ": try make PYTHON=python3.12")'
	@[ "$$(cat $@ 2>/dev/null)" = "$(CURDIR)" ] || rm -rf .venv
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --requirement requirements.txt
	$(BIN)/python -m pip install --quiet --no-deps --editable .
	$(BIN)/python -m pip install --quiet --no-deps --requirement requirements-no-deps.txt
	@echo "$(CURDIR)" > $@

# What only instructors need, in the same environment.
$(GRADING): $(ENV) requirements-grading.txt
	$(BIN)/python -m pip install --quiet --requirement requirements-grading.txt --constraint requirements.txt
	@touch $@
