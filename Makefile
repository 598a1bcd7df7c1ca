# The everyday commands of groma; `make help` lists them. Everything they need they install or build first.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

# All that make writes has a fixed place in this folder, named relative to it: make splits names at spaces. What lies
# at a place that somebody else names may be theirs.
FIXED := VENV BIN BUILD STAMPS IN_VENV PAGE PIP CURDIR
$(foreach name,$(FIXED),$(if $(filter command,$(origin $(name))),$(error $(name) cannot be set: groma stays in this folder)))
ifneq ($(shell tools/place.sh && echo good),good)
$(error nothing was touched)
endif
unexport CDPATH
# What place.sh looked at, not the symbolic link that led here.
export PWD := $(CURDIR)

override VENV := .venv
override BIN := $(VENV)/bin
override BUILD := build/default
override STAMPS := build/.done
override IN_VENV := $(VENV)/.groma
override PAGE := src/groma/report/assets/report.html
JOBS := $(shell nproc)
override PIP := tools/pip_install.sh $(VENV)
export PATH := $(CURDIR)/$(BIN):$(PATH)

# A folder made by `make wheelhouse` replaces the internet. pip splits names of folders at spaces.
ifneq ($(wildcard wheelhouse),)
export PIP_NO_INDEX := 1
export PIP_FIND_LINKS := wheelhouse
export npm_config_cache := $(CURDIR)/wheelhouse/npm
export npm_config_offline := true
endif

.PHONY: help setup native page test-setup lint-setup survey test test-native test-viewer test-python lint \
  lint-native lint-python lint-viewer lint-shell format sanitize lock wheelhouse clean distclean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "benches: $(patsubst bench/%.py,bench-%,$(wildcard bench/*.py))"

# ---- set-up ------------------------------------------------------------------------------------------
setup: native $(IN_VENV)/package page ## install what is missing, make .venv, build everything
	@$(BIN)/groma --version

$(STAMPS)/system: requirements/debian-run.txt tools/system_packages.sh
	@tools/system_packages.sh requirements/debian-run.txt
	@tools/made.sh claim $(@D) && touch $@

$(STAMPS)/system-test: requirements/debian-run.txt requirements/debian-test.txt tools/system_packages.sh
	@tools/system_packages.sh requirements/debian-run.txt requirements/debian-test.txt
	@tools/made.sh claim $(@D) && touch $@

$(IN_VENV)/run: requirements/run.lock tools/make_venv.sh | $(STAMPS)/system
	@tools/make_venv.sh $(VENV)
	@echo "setup: Python packages"
	@$(PIP) --require-hashes -r requirements/run.lock
	@mkdir -p $(@D) && touch $@

$(IN_VENV)/tools: $(wildcard requirements/*.lock) tools/missing_tools.sh tools/mpi_wheels.sh | $(IN_VENV)/run
	@tools/missing_tools.sh $(VENV)
	@tools/mpi_wheels.sh $(VENV)
	@touch $@

# Editable: the modules in src/ are used as they are; native programs come from `native`.
$(IN_VENV)/package: pyproject.toml $(IN_VENV)/run
	@$(PIP) --no-build-isolation --no-deps --no-index --config-settings wheel.cmake=false --config-settings editable.mode=inplace -e .
	@touch $@

$(IN_VENV)/test: requirements/test.lock $(STAMPS)/system-test | $(IN_VENV)/run
	@$(PIP) --require-hashes -r requirements/test.lock
	@touch $@

$(IN_VENV)/lint: requirements/lint.lock | $(IN_VENV)/run
	@$(PIP) --require-hashes -r requirements/lint.lock
	@touch $@

native: $(IN_VENV)/tools
	@tools/build.sh default groma-all
	@cmake --install $(BUILD) --prefix "$$PWD/$(VENV)" --component programs >/dev/null
	@tools/mpi_trees.sh build "$$PWD/$(VENV)"

# ---- the page ----------------------------------------------------------------------------------------
ifneq ($(wildcard viewer/package.json),)
# What make would split is none of them.
VIEWER_SOURCES := $(wildcard $(shell { git ls-files -co --exclude-standard viewer 2>/dev/null || find viewer -name '*.ts'; } | grep -x '[[:alnum:]._/-]*'))
page: $(PAGE)

viewer/node_modules/.done: viewer/package.json viewer/package-lock.json | $(IN_VENV)/tools
	@echo "setup: packages of the report page"
	@tools/page_packages.sh

$(PAGE): $(VIEWER_SOURCES) viewer/node_modules/.done
	@tools/npm.sh run --silent build
	@[ ! -f $@ ] || touch $@
endif

# ---- use and check -----------------------------------------------------------------------------------
survey: setup ## survey this node: groma-profile.json and groma-report.html
	@$(BIN)/groma survey
	@$(BIN)/groma report groma-profile.json -o groma-report.html

test-setup: $(IN_VENV)/test setup

test: test-native test-viewer test-python ## every test: native, page, Python

test-native: test-setup
	@tools/test_native.sh default
	@tools/mpi_trees.sh test

test-viewer: test-setup test-native
	@if [ -f viewer/package.json ]; then tools/npm.sh test && tools/npm.sh run --silent test:browser; fi

test-python: test-setup test-viewer
	@$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --durations=12 --durations-min=5

lint-setup: test-setup $(IN_VENV)/lint

lint: lint-python lint-shell lint-viewer lint-native ## formats, types and static checks of every language

lint-python: lint-setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache >build/imports.log || { cat build/imports.log; exit 1; }

lint-shell: lint-setup
	@$(BIN)/shellcheck tools/*.sh .ci/run

lint-viewer: lint-setup
	@if [ -f viewer/package.json ]; then tools/npm.sh run --silent lint; fi

FORMAT_NATIVE := find native include \( -name '*.?pp' -o -name '*.h' -o -name '*.c' -o -name '*.inc' \) -print0 | xargs -0 $(BIN)/clang-format
lint-native: lint-setup
	@$(FORMAT_NATIVE) --dry-run -Werror
	@$(BIN)/python tools/check_includes.py native
	@tools/tidy.sh

format: lint-setup ## format every language
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format
	@$(FORMAT_NATIVE) -i
	@if [ -f viewer/package.json ]; then tools/npm.sh run --silent format; fi

sanitize: test-setup ## native tests under address, undefined and thread sanitizers
	@tools/sanitize.sh asan tsan

bench-%: setup ## run bench/%.py, with ARGS="…"
	@$(BIN)/python bench/$*.py $(ARGS)

# ---- upkeep ------------------------------------------------------------------------------------------
lock: ## lock the requirements anew (needs uv)
	@tools/lock.sh

wheelhouse: $(IN_VENV)/tools ## download all that `make survey` and `make test` need, for a machine without internet
	@tools/wheelhouse.sh $(VENV) wheelhouse

clean: ## remove what was built; .venv and viewer/node_modules stay
	@tools/made.sh clean

distclean: clean ## remove everything that set-up made
	@tools/made.sh remove $(VENV) viewer/node_modules viewer/dist
