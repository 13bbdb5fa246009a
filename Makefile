PYTHON ?= python3
DEMO_VENV ?= .venv-demo
TEST_VENV ?= .venv-test
PIP_FLAGS ?= --quiet --disable-pip-version-check
.PHONY: demo test check bench clean

demo: $(DEMO_VENV)/.installed
	@examples/demo.sh $(DEMO_VENV)/bin/guidefs

test: $(TEST_VENV)/.installed
	GUIDEFS_UPATH_SOURCES=$(CURDIR)/.cache/upath $(TEST_VENV)/bin/python -m pytest $(PYTEST_FLAGS)

check: $(TEST_VENV)/.installed
	$(TEST_VENV)/bin/ruff check .
	$(TEST_VENV)/bin/ruff format --check .
	$(TEST_VENV)/bin/mypy
	$(TEST_VENV)/bin/lint-imports

$(DEMO_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(DEMO_VENV)
	$(DEMO_VENV)/bin/pip install $(PIP_FLAGS) ".[cli]"
	@touch $@

$(TEST_VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(TEST_VENV)
	$(TEST_VENV)/bin/pip install $(PIP_FLAGS) --upgrade pip
	$(TEST_VENV)/bin/pip install $(PIP_FLAGS) --constraint tests/constraints.txt --editable ".[test]" --group dev
	@# The base tests of universal_pathlib are in its source distribution only.
	mkdir -p .cache/upath
	$(TEST_VENV)/bin/pip download $(PIP_FLAGS) --no-deps --no-binary universal_pathlib --dest .cache/upath \
		"universal_pathlib==$$($(TEST_VENV)/bin/python -c 'from importlib.metadata import version; print(version("universal_pathlib"))')"
	tar xzf .cache/upath/universal_pathlib-*.tar.gz -C .cache/upath
	@touch $@

bench: $(TEST_VENV)/.installed
	$(TEST_VENV)/bin/python benchmarks/bench_touch.py
	$(TEST_VENV)/bin/python benchmarks/bench_overhead.py
	$(TEST_VENV)/bin/python benchmarks/bench_log.py

clean:
	rm -rf $(DEMO_VENV) $(TEST_VENV) .cache dist build
