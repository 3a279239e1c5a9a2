# `make demo` and `make test` set up what they need in .venv; Python 3.11 or newer and make are enough.

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
JOBS ?= 2

.PHONY: demo test lint typecheck imports pytest soak bench lock wheel clean

demo: .venv/demo.stamp
	@$(BIN)/sba demo

test: lint typecheck imports pytest

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: .venv/dev.stamp
	$(BIN)/mypy

imports: .venv/dev.stamp
	$(BIN)/lint-imports --no-logo

pytest: .venv/dev.stamp
	$(BIN)/pytest -n $(JOBS)

soak: .venv/dev.stamp
	SBA_SOAK=1 $(BIN)/pytest -n $(JOBS) -m "soak or not soak"

bench: .venv/dev.stamp
	for file in benchmarks/*.py; do $(BIN)/python "$$file" || exit 1; done

wheel: .venv/dev.stamp
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

# Needs uv; writes pinned, hashed requirements that name no registry.
lock:
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--extra build pyproject.toml -o requirements/runtime.txt
	uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
		--extra dev pyproject.toml -o requirements/dev.txt

.venv/python.stamp:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed; none was found. Name one: make PYTHON=/path/to/python3.12"; exit 2; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/demo.stamp: .venv/python.stamp requirements/runtime.txt pyproject.toml
	$(INSTALL) --require-hashes -r requirements/runtime.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/dev.stamp: .venv/python.stamp requirements/dev.txt pyproject.toml
	$(INSTALL) --require-hashes -r requirements/dev.txt
	$(INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

clean:
	rm -rf .venv dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
