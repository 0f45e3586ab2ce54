# Everything a newcomer needs: `make demo` to see it, `make test` to trust it.
# Needs only Python 3.11+ and make. The locks say what is installed: .venv-runtime has what runs,
# .venv the tools for tests too.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := .venv-runtime
WORKERS ?= 3
PARALLEL = -n $(WORKERS) --dist loadfile --no-loadscope-reorder # tests/conftest.py orders them

# the tests start Python 120 times: each would compile us anew where the environment says this
unexport PYTHONDONTWRITEBYTECODE

SOAK_MINUTES ?= 30

.PHONY: demo test test-external test-slow soak check format lint types contracts structure lock bench clean

$(VENV)/.ready: requirements.lock
$(RUNTIME)/.ready: requirements-runtime.lock requirements-build.lock
$(VENV)/.ready $(RUNTIME)/.ready: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "agentlog needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --require-hashes $(patsubst %,--requirement %,$(filter %.lock,$^))
	$(@D)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

demo: $(RUNTIME)/.ready ## start the service on its own PostgreSQL with example threads
	$(RUNTIME)/bin/agentlog demo

test: $(VENV)/.ready ## all tests but slow ones, on an embedded PostgreSQL of their own
	$(BIN)/python -m pytest $(PARALLEL)

test-external: $(VENV)/.ready ## the same against AGENTLOG_TEST_DATABASE_URL (PostgreSQL 15 or newer)
	@test -n "$$AGENTLOG_TEST_DATABASE_URL" || { echo "set AGENTLOG_TEST_DATABASE_URL to a server where databases may be created"; exit 2; }
	$(BIN)/python -m pytest $(PARALLEL)

test-slow: $(VENV)/.ready ## all tests, slow ones too, with many more drawn examples: for every night
	$(BIN)/python -m pytest $(PARALLEL) -m "" --hypothesis-profile=long --timeout=1800

soak: $(VENV)/.ready ## the long form of tests/reliability: an hour of faults; SOAK_REPORT=FILE for the table
	$(BIN)/python -m pytest -v tests/reliability -m "" --soak --soak-minutes $(SOAK_MINUTES) $(if $(SOAK_REPORT),--soak-report $(SOAK_REPORT))

check: format lint types contracts test ## what must be green before a change lands

format: $(VENV)/.ready
	$(BIN)/ruff format --check .

lint: $(VENV)/.ready
	$(BIN)/ruff check .

types: $(VENV)/.ready
	$(BIN)/mypy

contracts: $(VENV)/.ready
	$(BIN)/lint-imports

structure: $(VENV)/.ready ## count modules a folder, imports between rooms, files that a request passes
	$(BIN)/python -m benchmarks.structure

bench: $(VENV)/.ready ## measure, beside a floor, and print a table
	$(BIN)/python -m benchmarks

lock: ## pin what pyproject.toml asks for, with hashes, for every platform
	$(PYTHON) -m venv $(VENV)-lock && $(VENV)-lock/bin/pip install --quiet uv
	$(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		--group dev --output-file requirements.lock --upgrade pyproject.toml
	$(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		--all-extras --constraint requirements.lock --output-file requirements-runtime.lock pyproject.toml
	$(VENV)-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-emit-find-links --no-header --no-annotate \
		--group build --constraint requirements.lock --output-file requirements-build.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) $(RUNTIME)
