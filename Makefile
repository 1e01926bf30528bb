# `make run` and `make test` set up whatever is missing. PORT= changes the port, PYTHON= the interpreter.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
PARITY := .venv-parity
PIP_FLAGS := --quiet --disable-pip-version-check
# The lock files are complete, so nothing is resolved; huggingface-hub is left out on purpose (pyproject.toml).
LOCKED := $(PIP_FLAGS) --no-deps --require-hashes
LOCK_FLAGS := --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet
TORCH := torch==2.13.0
XDIST ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup run test check format bench eval eval-inprocess mutation lock parity build-data clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-run: requirements/run.txt requirements/model.txt | $(BIN)/python
	test -e $(VENV)/.stamp-dev || $(BIN)/pip install $(LOCKED) -r requirements/run.txt
	$(BIN)/pip install $(LOCKED) -r requirements/model.txt
	touch $@

$(VENV)/.stamp-dev: requirements/dev.txt requirements/model.txt pyproject.toml | $(BIN)/python
	$(BIN)/pip install $(LOCKED) -r requirements/dev.txt
	$(BIN)/pip install $(LOCKED) -r requirements/model.txt
	$(BIN)/pip install $(PIP_FLAGS) --no-deps --no-build-isolation -e .
	touch $@ $(VENV)/.stamp-run

setup: $(VENV)/.stamp-dev  ## install everything, development tools included

run: $(VENV)/.stamp-run  ## serve http://127.0.0.1:$(PORT)
	$(BIN)/python -m compileall -q app  # a third off the start where Python may not write its own .pyc
	PORT=$(PORT) exec $(BIN)/python -m app serve

test: $(VENV)/.stamp-dev  ## run every test; brings a browser for those of the page where there is none
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || $(BIN)/playwright install chromium \
	  || echo 'No Chromium could be had: the tests of the page will be skipped (in CI they fail).'
	$(BIN)/python -m pytest -n $(XDIST) $(ARGS)

format: $(VENV)/.stamp-dev  ## bring the code into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix-only --quiet .

check: $(VENV)/.stamp-dev  ## format, lint, types, layers, dead code, dependencies, spelling, numbers in docs
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/vulture
	$(BIN)/deptry app
	$(BIN)/codespell
	$(BIN)/python scripts/render_docs.py --check

bench: $(VENV)/.stamp-dev  ## measure speed, memory and size
	$(BIN)/python -m eval.bench $(ARGS)

lock:  ## pin the dependencies of pyproject.toml again (needs uv)
	uv pip compile $(LOCK_FLAGS) pyproject.toml -o requirements/run.txt
	uv pip compile $(LOCK_FLAGS) pyproject.toml --group dev -o requirements/dev.txt

eval: eval-inprocess  ## measure the recommender: replay, recall, probes, laws; writes eval/REPORT.md

eval-inprocess: $(VENV)/.stamp-dev
	$(BIN)/python -m eval all --publish --junit store/eval.xml $(ARGS)

mutation: $(VENV)/.stamp-dev  ## plant known defects in good answers and count what the evaluators notice
	$(BIN)/python -m eval mutation $(ARGS)

build-data: $(VENV)/.stamp-dev  ## rebuild catalogue, encoder graph and embeddings; EXPORT= names the vendor's file
	$(BIN)/python -m scripts.build_catalog $(EXPORT)
	$(BIN)/python -m scripts.build_encoder_graph
	$(BIN)/python -m scripts.build_index
	$(BIN)/python -m scripts.build_golden

$(PARITY)/.stamp: requirements/dev.txt requirements/model.txt
	$(PYTHON) -m venv $(PARITY)
	$(PARITY)/bin/pip install $(LOCKED) -r requirements/dev.txt
	$(PARITY)/bin/pip install $(LOCKED) -r requirements/model.txt
	$(PARITY)/bin/pip install $(PIP_FLAGS) $(TORCH) 'sentence-transformers>=6.2'
	touch $@

parity: $(PARITY)/.stamp  ## hold the two encoders to each other (installs torch, beside the rest)
	$(PARITY)/bin/python -m pytest -o addopts= --import-mode=importlib tests/parity tests/contract/test_encoders.py

clean:  ## remove environments and caches
	rm -rf $(VENV) $(PARITY) .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
