# The everyday commands of groma; `make help` lists them. Everything they need they install or build first.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory
# Steps that do not need each other run side by side, unless the command line says -j1.
ifeq ($(filter clean distclean,$(MAKECMDGOALS)),)
MAKEFLAGS += --jobs=$(shell nproc)
endif
unexport MAKEFLAGS

# All that make writes has a fixed place in this folder, named relative to it: make splits names at spaces. What lies
# at a place that somebody else names may be theirs.
FIXED := VENV BIN BUILD STAMPS IN_VENV PAGE PIP CURDIR
$(foreach name,$(FIXED),$(if $(filter command,$(origin $(name))),$(error $(name) cannot be set: groma stays in this folder)))
ifneq ($(shell tools/place.sh && echo good),good)
$(error nothing was touched)
endif
unexport CDPATH
# Containers set it. Each of the many starts of groma and of pytest would then compile all of groma again.
unexport PYTHONDONTWRITEBYTECODE
# What place.sh looked at, not the symbolic link that led here.
export PWD := $(CURDIR)

override VENV := .venv
override BIN := $(VENV)/bin
override BUILD := build/default
override STAMPS := build/.done
override IN_VENV := $(VENV)/.groma
override PAGE := src/groma/report/assets/report.html
# Two more than cores: tests of beds wait for slow networks most of the time, others for what they start.
WORKERS := $(shell echo $$(($$(nproc) + 2)))
override PIP := tools/pip_install.sh $(VENV)
export PATH := $(CURDIR)/$(BIN):$(PATH)

# A folder made by `make wheelhouse` replaces the internet. pip splits names of folders at spaces.
ifneq ($(wildcard wheelhouse),)
export PIP_NO_INDEX := 1
export PIP_FIND_LINKS := wheelhouse
export npm_config_cache := $(CURDIR)/wheelhouse/npm
export npm_config_offline := true
endif

.PHONY: help setup survey-setup native native-survey page test-setup lint-setup survey test test-native test-viewer \
  test-python lint lint-native lint-python lint-viewer lint-shell format sanitize fuzz lock accept-torus stress-torus wheelhouse \
  clean distclean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z%-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo "benches: $(patsubst bench/%.py,bench-%,$(wildcard bench/*.py))"

# ---- set-up ------------------------------------------------------------------------------------------
setup: survey-setup native ## install what is missing, make .venv, build everything
	@$(BIN)/groma --version

# What a survey of this node needs, and no more.
survey-setup: native-survey $(IN_VENV)/package page

# apt-get runs once at a time.
$(STAMPS)/system-survey: requirements/debian-survey.txt tools/system_packages.sh
	@tools/system_packages.sh requirements/debian-survey.txt
	@tools/made.sh claim $(@D) && touch $@

$(STAMPS)/system: requirements/debian-run.txt | $(STAMPS)/system-survey
	@tools/system_packages.sh requirements/debian-run.txt
	@touch $@

$(STAMPS)/system-test: requirements/debian-test.txt | $(STAMPS)/system
	@tools/system_packages.sh requirements/debian-test.txt
	@touch $@

# Named so that no tree is configured anew for it.
$(STAMPS)/sanitizers: requirements/debian-sanitize.txt | $(STAMPS)/system-test
	@tools/system_packages.sh requirements/debian-sanitize.txt
	@touch $@

# pip runs once at a time. What the build needs comes first, so that it can begin.
$(IN_VENV)/venv: tools/make_venv.sh | $(STAMPS)/system-survey
	@tools/make_venv.sh $(VENV)
	@mkdir -p $(@D) && touch $@

$(IN_VENV)/tools: requirements/cmake.lock requirements/ninja.lock requirements/node.lock tools/missing_tools.sh | $(IN_VENV)/venv
	@tools/missing_tools.sh $(VENV)
	@touch $@

$(IN_VENV)/run: requirements/run.lock $(IN_VENV)/venv | $(IN_VENV)/tools
	@echo "setup: Python packages"
	@$(PIP) --require-hashes -r requirements/run.lock
	@touch $@

# Editable: the modules in src/ are used as they are; native programs come from `native`.
$(IN_VENV)/package: pyproject.toml $(IN_VENV)/run
	@$(PIP) --no-build-isolation --no-deps --no-index --config-settings wheel.cmake=false --config-settings editable.mode=inplace -e .
	@touch $@

$(IN_VENV)/mpi: $(wildcard requirements/open*.lock) requirements/mpich.lock tools/mpi_wheels.sh | $(IN_VENV)/package $(STAMPS)/system
	@tools/mpi_wheels.sh $(VENV)
	@touch $@

$(IN_VENV)/test: requirements/test.lock $(STAMPS)/system-test | $(IN_VENV)/mpi
	@$(PIP) --require-hashes -r requirements/test.lock
	@touch $@

$(IN_VENV)/lint: requirements/lint.lock | $(IN_VENV)/test
	@$(PIP) --require-hashes -r requirements/lint.lock
	@touch $@

native-survey: $(IN_VENV)/tools
	@tools/build.sh default groma-probe
	@cmake --install $(BUILD) --prefix "$$PWD/$(VENV)" --component survey >/dev/null

native: native-survey $(IN_VENV)/mpi
	@tools/build.sh default groma-all
	@cmake --install $(BUILD) --prefix "$$PWD/$(VENV)" --component programs >/dev/null
	@tools/mpi_trees.sh build "$$PWD/$(VENV)"

# ---- the page ----------------------------------------------------------------------------------------
ifneq ($(wildcard viewer/package.json),)
# What make would split is none of them.
VIEWER_SOURCES := $(wildcard $(shell { git ls-files -co --exclude-standard viewer 2>/dev/null || find viewer -name '*.ts'; } | grep -x '[[:alnum:]._/-]*'))
VIEWER_PACKAGES := viewer/package.json viewer/package-lock.json tools/page_packages.sh
page: $(PAGE)

# What the page is built with; what checks and tests it comes with `test-setup`.
viewer/node_modules/.done: $(VIEWER_PACKAGES) | $(IN_VENV)/tools
	@echo "setup: packages of the report page"
	@tools/page_packages.sh --omit=dev

viewer/node_modules/.done-dev: $(VIEWER_PACKAGES) | $(PAGE)
	@echo "setup: packages of the page's tests"
	@tools/page_packages.sh

$(PAGE): $(VIEWER_SOURCES) | viewer/node_modules/.done
	@tools/npm.sh run --silent build
	@[ ! -f $@ ] || touch $@

test-setup lint-setup: viewer/node_modules/.done-dev
endif

# ---- use and check -----------------------------------------------------------------------------------
survey: survey-setup ## survey this node: groma-profile.json and groma-report.html
	@$(BIN)/groma survey
	@$(BIN)/groma report groma-profile.json -o groma-report.html

test-setup: $(IN_VENV)/test setup

test: test-native test-viewer test-python ## every test: native, page, Python

test-native: test-setup
	@tools/test_native.sh default
	@tools/mpi_trees.sh test

test-viewer: test-setup
	@if [ -f viewer/package.json ]; then tools/npm.sh test && tools/npm.sh run --silent test:browser; fi

test-python: test-setup test-native
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations=12 --durations-min=5

lint-setup: test-setup $(IN_VENV)/lint

lint: lint-native lint-python lint-shell lint-viewer ## formats, types and static checks of every language

lint-python: lint-setup
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache >build/imports.log || { cat build/imports.log; exit 1; }

lint-shell: lint-setup
	@$(BIN)/shellcheck tools/*.sh .ci/run

lint-viewer: lint-setup
	@if [ -f viewer/package.json ]; then tools/npm.sh run --silent lint; fi

FORMAT_NATIVE := find native include examples tests/integration/consumer \( -name '*.?pp' -o -name '*.h' -o -name '*.c' -o -name '*.inc' \) -print0 | xargs -0 $(BIN)/clang-format
lint-native: lint-setup
	@$(FORMAT_NATIVE) --dry-run -Werror
	@$(BIN)/python tools/check_includes.py native
	@tools/tidy.sh

format: lint-setup ## format every language
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format
	@$(FORMAT_NATIVE) -i
	@if [ -f viewer/package.json ]; then tools/npm.sh run --silent format; fi

sanitize: sanitize-asan sanitize-tsan ## native tests under address, undefined and thread sanitizers

fuzz: test-setup $(STAMPS)/sanitizers ## mutated traces and logs for SECONDS=60 each, under sanitizers
	@tools/fuzz.sh $(or $(SECONDS),60)

sanitize-%: test-setup $(STAMPS)/sanitizers
	@tools/sanitize.sh $*

bench-%: setup ## run bench/%.py, with ARGS="…"
	@$(BIN)/python bench/$*.py $(ARGS)

# ---- upkeep ------------------------------------------------------------------------------------------
lock: ## lock the requirements anew (needs uv)
	@tools/lock.sh

accept-torus: test-setup ## take new results of the torus simulator as those that tests expect
	@$(BIN)/python tests/locked_torus.py

stress-torus: setup ## simulate random tori at full load for SECONDS=60, none of which may get stuck
	@$(BIN)/python tests/torus_stress.py --seconds $(or $(SECONDS),60)

wheelhouse: $(IN_VENV)/tools ## download all that `make survey` and `make test` need, for a machine without internet
	@tools/wheelhouse.sh $(VENV) wheelhouse

clean: ## remove what was built; .venv and viewer/node_modules stay
	@tools/made.sh clean

distclean: clean ## remove everything that set-up made
	@tools/made.sh remove $(VENV) viewer/node_modules viewer/dist
