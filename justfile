# The usual commands. `just` lists them.

default:
    @just --list

# Install clew for work on it
setup:
    pip install -e '.[dev]'

# Run the tests
test *ARGS:
    pytest -n auto {{ARGS}}

# Lint, format, types, layers
check:
    ruff check .
    ruff format --check .
    mypy
    lint-imports
    python docs/generate.py --check

# Repair what a tool can repair
fix:
    ruff check --fix .
    ruff format .
    python docs/generate.py

# Are answers still as good?
gate:
    python bench/gate.py

# All of it in a fresh environment, as in CI
ci:
    ./.ci/run
