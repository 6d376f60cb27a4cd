# Every target makes its own environment in .venv when it is missing or out of date.
PYTHON ?= python3
MINUTES ?= 60
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.stamp

# For how long `make fuzz` tries each target, where its chance begins, and which targets: all.
SECONDS ?= 30
SEED ?= 1
TARGETS ?=

.PHONY: demo test test-slow torture fuzz sanitize check docs format lint types soak audit coverage install clean help

help:
	@echo "make demo       train the small English-French model and show what it learned"
	@echo "make test       the default test lane"
	@echo "make test-slow  tests that train for longer"
	@echo "make torture    faults in file calls: FAULTS=1000 SEED=1 ONLY='works;speech/*'"
	@echo "make check      format, lint, types and tests: what CI runs"
	@echo "make fuzz       strange inputs for every reader and route: SECONDS=30 SEED=1 TARGETS=recipe"
	@echo "make sanitize   tests of the kernels in C under sanitizers of addresses, of what C leaves"
	@echo "                undefined, and of threads"
	@echo "make format     put the code into shape"
	@echo "make soak       an hour of clients, good and bad, at a server: memory and descriptors stay flat"
	@echo "make audit      known vulnerabilities, a bill of materials, licences of what is installed"
	@echo "make coverage   the default test lane, and how much of saccade/ it reaches"
	@echo "make docs       the documentation as a site, in build/site"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "saccade needs Python 3.11 or later; $(PYTHON) is $$($(PYTHON) --version 2>&1)." \
	       "Try: make PYTHON=python3.12" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { \
	  echo "No virtual environment could be made; on Debian: apt install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[dev]'
	@echo "Kernels in C: $$($(BIN)/python -m saccade.kernels)."
	@touch $@

demo: $(STAMP)
	$(BIN)/saccade demo

test: $(STAMP)
	$(BIN)/python -m pytest -q -n 2 -m "not slow"

test-slow: $(STAMP)
	$(BIN)/python -m pytest -q -m slow

# Faults in file calls, and what is lost by them: docs/reliability.md.
FAULTS ?= 1000
ONLY ?=
torture: $(STAMP)
	$(BIN)/python -m tests.torture $(FAULTS) --seed $(SEED) --only '$(ONLY)'

format: $(STAMP)
	$(BIN)/ruff check --fix saccade tests benchmarks deploy
	$(BIN)/ruff format saccade tests benchmarks deploy

lint: $(STAMP)
	$(BIN)/ruff check saccade tests benchmarks deploy
	$(BIN)/ruff format --check saccade tests benchmarks deploy

types: $(STAMP)
	$(BIN)/mypy

check: lint types test

fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(TARGETS) --seconds $(SECONDS) --seed $(SEED)

sanitize: $(STAMP)
	$(BIN)/python -m tests.sanitize address
	$(BIN)/python -m tests.sanitize thread

# The tool is installed once; the site itself is built without network. A broken link fails.
docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean
	$(BIN)/python docs/check_site.py build/site
	@echo "The site is in build/site. To search it: $(BIN)/python -m http.server -d build/site"

$(VENV)/.docs: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[docs]'
	@touch $@

soak: $(STAMP)
	@test -e runs/demo/saccade.json || $(BIN)/saccade demo
	$(BIN)/python -m benchmarks.soak runs/demo --minutes $(MINUTES) --workers 2 --rate 2 \
	  --svg build/soak.svg

# An environment with all that users may install, and pip-audit. MD=docs/licences.md renews that page.
audit: build/audit/.stamp
	build/audit/bin/python -m deploy.materials --sbom build/sbom.json --pins build/pins.txt $(MD:%=--md %)
	build/audit/bin/python -m deploy.advisories build/pins.txt
	@echo "The bill of materials (CycloneDX) is build/sbom.json."

build/audit/.stamp: pyproject.toml constraints.txt
	$(PYTHON) -m venv build/audit
	build/audit/bin/python -m pip install --quiet -c constraints.txt torch==2.13.0
	build/audit/bin/python -m pip install --quiet -c constraints.txt pip-audit \
	  -e '.[serve,track,fast,data,vision,video,sound,export]'
	@touch $@

coverage: $(VENV)/.coverage
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/coverage run -m pytest -q -m "not slow"
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage html --quiet -d build/coverage/html
	$(BIN)/coverage report --skip-covered

$(VENV)/.coverage: $(STAMP)
	$(BIN)/python -m pip install --quiet -c constraints.txt coverage
	@touch $@

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
