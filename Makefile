# Everything starts here: each target sets up what it needs, once.
VENV := .venv
PY := $(VENV)/bin/python
# Modules are compiled when they are first used: half the time and a third of the space of compiling all.
INSTALL := $(PY) scripts/install.py
# The program that reads files may write none, and would compile its libraries for each file anew.
READERS := epub, page, pdf, picture, plain_text, slides, word, workbook
COMPILE_READERS = $(PY) -W ignore -c "from parley.agent.files.formats import $(READERS)"
# So do the processes that share the tests: each would prepare every module of a fresh clone by itself.
COLLECT_TESTS = for part in "tests/unit" "tests --ignore=tests/unit"; do \
	$(PY) -m pytest --collect-only -qq $$part >/dev/null 2>&1 & done; wait
VENDORS := .pytest_cache/vendors
PAGE_TOOLS := .pytest_cache/page-tools
EDITION ?= usual
SUITE = $(PY) -m tests.suites run --edition $(EDITION) $(SHARED)
OFFLINE := the reason stands above. Is there a network? Try again: what arrived is kept.

# Images set it to save space; without compiled modules each start takes two seconds more.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run chat check test coverage lint browser teeth chaos attacks agents fuzz soak conformance vendors postgres nodes journeys bench recall offline clean
.PHONY: chaos-nodes chaos-memory deploy lint-page docs site picture

help: ## Show this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.run ## Start Parley (options: make run ARGS="--verbose")
	@exec $(PY) -m parley run --watched $(ARGS)

chat: $(VENV)/.run ## Chat in this terminal
	@exec $(PY) -m parley chat $(ARGS)

check: $(VENV)/.run ## Check config.yaml and say what would start
	@exec $(PY) -m parley check $(ARGS)

test: $(VENV)/.test ## The default tests, a few minutes
	@$(SUITE) test $(ARGS)

coverage: $(VENV)/.test ## The default tests, and how much of each package they run
	@$(SUITE) test --coverage $(ARGS)

lint: $(VENV)/.test ## Style, types (the page's too where npm is), import rules, config.yaml as shipped
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports
	@sh scripts/config.sh
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-page; \
		else echo "The page's JavaScript was not checked: npm is not here."; fi

lint-page: $(VENV)/.test $(PAGE_TOOLS)/.done
	@mkdir -p $(PAGE_TOOLS)/served/kit
	@$(PY) -c "from parley.channels.web.sentences import sentences_module; print(sentences_module())" \
		>$(PAGE_TOOLS)/served/kit/sentences.js
	@cp tests/browser/tools/eslint.config.mjs $(PAGE_TOOLS)/
	@node $(PAGE_TOOLS)/node_modules/eslint/bin/eslint.js --config $(PAGE_TOOLS)/eslint.config.mjs channels/web/page
	@node $(PAGE_TOOLS)/node_modules/typescript/bin/tsc --project tests/browser/tools

browser: $(VENV)/.test $(PAGE_TOOLS)/.done ## The page in headless Chromium (needs Debian's "chromium npm")
	@$(SUITE) browser $(ARGS)

teeth: $(VENV)/.test ## Seed faults that the contract suite must catch
	@$(SUITE) teeth $(ARGS)

chaos: $(VENV)/.test ## Everything is killed, frozen and broken, and each message accounted for (EDITION=full)
	@$(SUITE) chaos $(ARGS)

chaos-nodes: $(VENV)/.test ## The same with three nodes on PostgreSQL (needs Debian's "postgresql")
	@$(SUITE) chaos-nodes $(ARGS)

chaos-memory: $(VENV)/.test ## Memories of several people under kills: nothing private in a group, nothing after erasure
	@$(SUITE) chaos-memory $(ARGS)

attacks: $(VENV)/.test ## Attacks on a running Parley and its parsers
	@$(SUITE) attacks $(ARGS)

fuzz: $(VENV)/.test ## Anything at all for every parser of outside text (EDITION=full: about an hour)
	@$(SUITE) fuzz $(ARGS)

soak: $(VENV)/.test ## All channels streaming at once, then with a platform that is stuck
	@$(SUITE) soak $(ARGS)

conformance: $(VENV)/.test $(VENV)-conformance/.done ## The agent suite against the official development server
	@$(SUITE) conformance $(ARGS)

deploy: $(VENV)/.test $(VENV)-deploy/.done ## The container's recipe, compose files and Helm chart against linters and schemas
	@PARLEY_DEPLOY_VENV=$(VENV)-deploy $(SUITE) deploy $(ARGS)

agents: $(VENV)/.test $(VENV)-conformance/.done ## Graphs of every shape on three agent servers (needs Debian's "postgresql")
	@$(SUITE) agents $(ARGS)

vendors: $(VENV)/.test $(VENDORS)/.done ## The simulators and the whole wire against the vendors' SDKs (needs "nodejs npm postgresql")
	@$(if $(SHARED),,rm -rf .pytest_cache/wire)
	@$(SUITE) vendors $(ARGS)

journeys: $(VENV)/.test ## Whole ways through real processes, and wires that break
	@$(SUITE) journeys $(ARGS)

postgres: $(VENV)/.test $(VENV)-conformance/.done ## The store, all channels and whole ways on PostgreSQL (needs Debian's "postgresql pgbouncer")
	@$(SUITE) postgres $(ARGS)

nodes: $(VENV)/.test ## Several processes on a PostgreSQL of their own (needs Debian's "postgresql")
	@$(SUITE) nodes $(ARGS)

docs: $(VENV)-docs/.done ## The documents as a site, in site/: open site/index.html
	@$(VENV)-docs/bin/python scripts/docs_site.py $(ARGS)

site: $(VENV)/.test $(VENV)-docs/.done ## That site built anew and read in Chromium without a network (needs "chromium")
	@$(SUITE) site $(ARGS)

picture: $(VENV)/.test ## The README's moving picture, from the real page (needs "chromium fonts-noto-color-emoji")
	@$(PY) scripts/readme_picture.py $(ARGS)

bench: $(VENV)/.test ## The figures of docs/performance.md and docs/scale.md
	@$(PY) -m benchmarks $(ARGS)

recall: $(VENV)/.test ## How well memory finds facts (docs/memory-retrieval.md)
	@$(PY) -m benchmarks.recall $(ARGS)

offline: $(VENV)/.made ## All that a machine without a network needs, in dist/offline
	@PYTHON=$(PY) sh scripts/offline.sh dist/offline $(ARGS)

clean: ## Remove environments and caches; the data folder stays
	@rm -rf $(VENV) $(VENV)-conformance $(VENV)-docs $(VENV)-deploy site .docs_cache .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made: scripts/venv.sh
	@sh scripts/venv.sh $(VENV)
	@touch $@

$(VENV)/.run: $(VENV)/.made requirements/run.txt
	@echo "Installing packages (once) ..."
	@$(INSTALL) requirements/run.txt || { echo "Packages could not be installed; $(OFFLINE)" >&2; exit 1; }
	@$(COMPILE_READERS) || true # only slower without
	@touch $@

$(VENV)/.test: $(VENV)/.made requirements/test.txt
	@echo "Installing packages and test tools (once) ..."
	@$(INSTALL) requirements/test.txt || { echo "Packages could not be installed; $(OFFLINE)" >&2; exit 1; }
	@$(COMPILE_READERS) || true # only slower without
	@$(COLLECT_TESTS)
	@touch $@ $(VENV)/.run

$(VENV)-conformance/.done: scripts/venv.sh requirements/conformance.txt
	@sh scripts/venv.sh $(VENV)-conformance
	@echo "Installing other agent servers (once) ..."
	@$(VENV)-conformance/bin/python scripts/install.py requirements/conformance.txt --no-deps \
		|| { echo "It could not be installed; $(OFFLINE)" >&2; exit 1; }
	@touch $@

$(VENV)-docs/.done: scripts/venv.sh requirements/docs.txt
	@sh scripts/venv.sh $(VENV)-docs
	@echo "Installing what builds the documents' site (once) ..."
	@$(VENV)-docs/bin/python scripts/install.py requirements/docs.txt --no-deps \
		|| { echo "It could not be installed; $(OFFLINE)" >&2; exit 1; }
	@touch $@

$(VENV)-deploy/.done: scripts/venv.sh requirements/deploy.txt
	@sh scripts/venv.sh $(VENV)-deploy
	@echo "Installing what reads deploy/ (100 MB, once) ..."
	@$(VENV)-deploy/bin/python scripts/install.py requirements/deploy.txt \
		|| { echo "It could not be installed; $(OFFLINE)" >&2; exit 1; }
	@touch $@

$(PAGE_TOOLS)/.done: tests/browser/tools/package.json tests/browser/tools/package-lock.json
	@mkdir -p $(PAGE_TOOLS)
	@cp tests/browser/tools/package.json tests/browser/tools/package-lock.json $(PAGE_TOOLS)/
	@npm ci --prefix $(PAGE_TOOLS) --ignore-scripts --no-audit --no-fund --loglevel=error \
		|| { echo "The tools that check the page could not be installed; $(OFFLINE)" >&2; exit 1; }
	@touch $@

$(VENDORS)/.done: tests/vendors/package.json tests/vendors/package-lock.json tests/vendors/requirements.txt
	@mkdir -p $(VENDORS)
	@cp tests/vendors/package.json tests/vendors/package-lock.json $(VENDORS)/
	@echo "Installing the vendors' SDKs (half a minute, once) ..."
	@$(PY) -m pip install --disable-pip-version-check --quiet --no-compile --no-deps --require-hashes --upgrade \
		--target $(VENDORS)/python -r tests/vendors/requirements.txt \
		|| { echo "They could not be installed; $(OFFLINE)" >&2; exit 1; }
	@npm ci --prefix $(VENDORS) --ignore-scripts --no-audit --no-fund --loglevel=error \
		|| { echo "They could not be installed; $(OFFLINE)" >&2; exit 1; }
	@touch $@
