PYTHON ?= python3
DEMO_VENV ?= .venv-demo
TEST_VENV ?= .venv-test
PIP_FLAGS ?= --quiet --disable-pip-version-check
DEBIAN_PACKAGES := bubblewrap busybox-static openssh-server openssh-client mmdebstrap

.PHONY: demo test check bench clean debian

demo: $(DEMO_VENV)/.installed
	@examples/demo.sh $(DEMO_VENV)/bin/guidefs

test: debian $(TEST_VENV)/.installed
	$(TEST_VENV)/bin/python -m pytest $(PYTEST_FLAGS)

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
	$(TEST_VENV)/bin/pip install $(PIP_FLAGS) --editable ".[test]" --group dev
	@touch $@

# What the tests run against, where this user may install it and it is missing.
debian:
	@if command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ] && ! dpkg -s $(DEBIAN_PACKAGES) >/dev/null 2>&1; then \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(DEBIAN_PACKAGES) >/dev/null; \
	fi

clean:
	rm -rf $(DEMO_VENV) $(TEST_VENV) dist build
