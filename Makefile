# Tracemill's doors. `make` alone lists them.

VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
COMPILED := $(CURDIR)/build/compiled
BENCHES := gate ingest ingest_redaction mine draft curate

.DEFAULT_GOAL := help
.PHONY: help install demo test test-slow test-wheel check format bench wheel clean

help: ## list what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(INSTALLED): pyproject.toml constraints.txt
	@echo "Installing Tracemill and what it needs into $(VENV) (a few minutes the first time) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[demo,dev]'
	@touch $@

install: $(INSTALLED) ## install everything into .venv, from the lock

demo: $(INSTALLED) ## the whole loop on this machine: traces on Kafka to a promoted model
	@$(BIN)/python -m examples.support_desk.demo

test: $(INSTALLED) ## the whole suite
	@$(BIN)/python -m pytest -q -m "not slow"

test-slow: $(INSTALLED) ## the tests that take over a minute each
	@$(BIN)/python -m pytest -q -m slow --timeout 1800

wheel: $(INSTALLED) ## build dist/*.whl to install in production, the hot path of ingest compiled
	@echo "Compiling what ingest runs for each span (a minute or two) ..."
	@rm -rf build dist
	@TRACEMILL_COMPILED=1 $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@ls dist/*.whl

test-wheel: wheel ## the tests of ingest, on the compiled code of the wheel
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $(COMPILED) dist/*.whl
	@PYTHONPATH=$(COMPILED) $(BIN)/python -c 'from tracemill.ingest import rebuild as m; assert m.__file__.endswith(".so"), m.__file__'
	@PYTHONPATH=$(COMPILED) $(BIN)/python -m pytest -q -m "not slow" tests/ingest

check: $(INSTALLED) ## format, lint, types, import order, tests: what CI runs
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(MAKE) --no-print-directory test

format: $(INSTALLED) ## format the code
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(INSTALLED) ## every benchmark, one after the other
	@for name in $(BENCHES); do $(BIN)/python -m bench.$$name || exit 1; done

clean: ## remove what the demo, the tests and the build wrote (not the installation)
	@rm -rf .tracemill .bench build dist .pytest_cache .mypy_cache .ruff_cache
	@find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
