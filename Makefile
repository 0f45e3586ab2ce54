# Everything a newcomer needs: `make demo` to see it, `make test` to trust it.
# Needs only Python 3.11+ and make. The locks say what is installed: requirements-runtime.lock what
# runs, requirements.lock that and what builds and tests; of tests of every night -nightly.lock, and
# -adk.lock, which asks for an older OpenTelemetry. .venv-runtime has what runs, .venv the tools too.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := .venv-runtime
PHOENIX := .venv-phoenix
NIGHT := .venv-nightly
ADK := .venv-adk
WORKERS ?= 4
PAGE := api/page/index.html
NPM = PATH=$(abspath $(ENVIRONMENT))/bin:$$PATH npm --loglevel=error --prefix
NODE = $(NPM) web
BESIDE := tests/extensions tests/client/adapters tests/deploy # the core
CODING_AGENTS := tests/extensions/runs/agents/coding
AG_UI_CLIENT := tests/extensions/facades/ag_ui
ENVIRONMENT = $(VENV)
SOURCES = --no-binary claude-agent-sdk # its wheel brings an agent of 180 MB
PARALLEL = -n $(WORKERS) --dist loadfile --no-loadscope-reorder # tests/conftest.py orders them

# the tests start Python 120 times: each would compile us anew where the environment says this
unexport PYTHONDONTWRITEBYTECODE

SOAK_MINUTES ?= 30

.PHONY: help demo page tools web screenshots pictures coding-agents ag-ui-client test test-extensions test-changed test-external test-slow soak check check-code format lint types contracts structure lock bench clean

$(VENV)/.ready: PINNED = --requirement requirements.lock
$(RUNTIME)/.ready: PINNED = --requirement requirements-runtime.lock \
	--constraint requirements.lock --group build
$(RUNTIME)/.ready: requirements-runtime.lock
$(VENV)/.ready $(RUNTIME)/.ready: pyproject.toml client/pyproject.toml requirements.lock
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "agentlog needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	test -x $(@D)/bin/python || $(PYTHON) -m venv $(@D)
	sed -n '/^uv==/,/[^\]$$/p' requirements.lock >$(@D)/uv.lock
	$(@D)/bin/python -m pip install --quiet --require-hashes --requirement $(@D)/uv.lock
	$(@D)/bin/uv pip install --quiet --python $(@D) --require-hashes $(SOURCES) $(PINNED)
	$(@D)/bin/uv pip install --quiet --python $(@D) --no-deps --no-build-isolation \
		--editable . --editable ./client
	@touch $@

# Node comes from PyPI, into whichever environment is there
web/node_modules/.package-lock.json: web/package-lock.json
	$(NODE) ci --omit=dev
	@touch $@

web/node_modules/.tools: web/package-lock.json
	$(NODE) ci
	@touch $@ $(@D)/.package-lock.json

$(PAGE): web/node_modules/.package-lock.json web/index.html web/vite.config.ts $(shell find web/src extensions -path 'web/src*' -o -path '*/web/*')
	$(NODE) run build

page: $(VENV)/.ready ## build the page that the service shows
	@$(MAKE) --no-print-directory $(PAGE)

demo: $(RUNTIME)/.ready ## start the service on its own PostgreSQL with example threads
	@$(MAKE) --no-print-directory $(PAGE) ENVIRONMENT=$(RUNTIME)
	$(RUNTIME)/bin/agentlog demo

tools: $(VENV)/.ready # what checks the page, and the Chromium that the tests drive
	@$(MAKE) --no-print-directory web/node_modules/.tools

web: tools ## format, lint, types and unit tests of the page
	$(BIN)/agentlog openapi | $(NODE) run --silent schema
	$(NODE) run format
	$(NODE) run lint
	$(NODE) run types
	$(NODE) run test

test: tools page ## the tests of the core, but slow ones, on an embedded PostgreSQL of their own
	$(BIN)/python -m pytest $(PARALLEL) $(BESIDE:%=--ignore=%)

test-extensions: tools page ## those of extensions, adapters and deploy/; EXTENSION=mcp of that alone
	$(BIN)/python -m pytest $(PARALLEL) $(if $(EXTENSION),tests/extensions/$(EXTENSION),$(BESIDE))

BASE ?= $(shell git rev-parse --quiet --verify origin/main || echo HEAD)

test-changed: tools page ## the tests that what changed since BASE (origin/main, or HEAD) may break
	@tests=$$($(BIN)/python -m tests.changed $(BASE)) && \
		if [ -n "$$tests" ]; then $(BIN)/python -m pytest $(PARALLEL) $$tests; else echo "nothing to test"; fi

test-external: tools page ## the same against AGENTLOG_TEST_DATABASE_URL (PostgreSQL 15 or newer)
	@test -n "$$AGENTLOG_TEST_DATABASE_URL" || { echo "set AGENTLOG_TEST_DATABASE_URL to a server where databases may be created"; exit 2; }
	$(BIN)/python -m pytest $(PARALLEL)

$(PHOENIX)/.ready: $(VENV)/.ready # Phoenix, in an environment of its own: it brings 160 packages
	$(BIN)/uv venv --quiet --clear $(PHOENIX)
	$(BIN)/uv pip install --quiet --python $(PHOENIX) arize-phoenix==20.26.1
	@touch $@

$(NIGHT)/.ready: requirements-nightly.lock $(VENV)/.ready # traced agents, readers of datasets
	$(BIN)/uv venv --quiet --clear $(NIGHT)
	$(BIN)/uv pip install --quiet --python $(NIGHT) --require-hashes --requirement $<
	@touch $@

$(ADK)/.ready: requirements-adk.lock client/pyproject.toml $(VENV)/.ready # Google ADK and our client
	$(BIN)/uv venv --quiet --clear $(ADK)
	$(BIN)/uv pip install --quiet --python $(ADK) --require-hashes --requirement $<
	$(BIN)/uv pip install --quiet --python $(ADK) --no-deps --no-build-isolation --editable ./client
	@touch $@

# packages of npm that no test but those of every night needs; the agents have 900 MB
NIGHTLY := $(CODING_AGENTS) $(AG_UI_CLIENT)
$(NIGHTLY:=/node_modules/.package-lock.json): %/node_modules/.package-lock.json: %/package-lock.json $(VENV)/.ready
	$(NPM) $* ci
	@touch $@

coding-agents: $(CODING_AGENTS)/node_modules/.package-lock.json
ag-ui-client: $(AG_UI_CLIENT)/node_modules/.package-lock.json

test-slow: $(PHOENIX)/.ready $(NIGHT)/.ready $(ADK)/.ready
test-slow: coding-agents ag-ui-client
test-slow: tools page ## all tests, slow ones too, with many more drawn examples: for every night
	AGENTLOG_TEST_PHOENIX=$(PHOENIX)/bin/phoenix AGENTLOG_TEST_TRACED=$(abspath $(NIGHT))/bin/python \
		AGENTLOG_TEST_ADK=$(abspath $(ADK))/bin/python \
		AGENTLOG_TEST_ENGINES=$(abspath $(NIGHT))/bin/python \
		$(BIN)/python -m pytest $(PARALLEL) -m "" --hypothesis-profile=long --timeout=1800

soak: $(VENV)/.ready ## the long form of tests/reliability: an hour of faults; SOAK_REPORT=FILE for the table
	$(BIN)/python -m pytest -v tests/reliability -m "" --soak --soak-minutes $(SOAK_MINUTES) $(if $(SOAK_REPORT),--soak-report $(SOAK_REPORT))

check: test test-extensions check-code ## what must be green before a change lands

check-code: format lint types contracts web ## all of it but the tests in Python

format: $(VENV)/.ready
	$(BIN)/ruff format --check .

lint: $(VENV)/.ready
	$(BIN)/ruff check .

types: $(VENV)/.ready
	$(BIN)/mypy

contracts: $(VENV)/.ready
	$(BIN)/lint-imports

screenshots: tools page ## take the pictures of the documentation
	@mkdir -p docs/pictures
	$(BIN)/python -m tests.browser.screenshots docs/pictures

pictures: tools page ## take the pictures anew that tests/browser/test_pictures.py compares
	AGENTLOG_TEST_PICTURES=1 $(BIN)/python -m pytest -n 0 -m "" tests/browser/test_pictures.py

structure: $(VENV)/.ready ## count modules a folder, imports between rooms, files that a request passes
	$(BIN)/python -m benchmarks.structure

bench: $(VENV)/.ready ## measure, beside a floor, and print a table
	$(BIN)/python -m benchmarks

COMPILE = uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	--no-emit-package agentlog-client

lock: $(VENV)/.ready ## pin what pyproject.toml asks for, with hashes, for every platform
	$(BIN)/$(COMPILE) --group dev --output-file requirements.lock --upgrade pyproject.toml
	$(BIN)/$(COMPILE) --all-extras --constraint requirements.lock \
		--output-file requirements-runtime.lock pyproject.toml
	$(BIN)/$(COMPILE) --group nightly --output-file requirements-nightly.lock --upgrade
	$(BIN)/$(COMPILE) --group adk --output-file requirements-adk.lock --upgrade

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

clean:
	rm -rf $(VENV) $(RUNTIME) $(PHOENIX) $(NIGHT) $(ADK) web/node_modules api/page \
		$(NIGHTLY:=/node_modules)
