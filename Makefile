# Two commands, each doing all of its own set-up:   make learn   make test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export FIVE_PASSES_PROGRESS PYDEVD_DISABLE_FILE_VALIDATION = 1

.PHONY: learn test grade gradescope build bench browser contract matrix

# Containers often run as root, which JupyterLab refuses unless told.
learn: $(VENV)/ready
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/00_check_your_bench.ipynb $(if $(filter 0,$(shell id -u)),--allow-root)

test: FIVE_PASSES_PROGRESS = off
test: $(VENV)/ready
	$(BIN)/python solutions/build.py --check
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n 2 --dist worksteal tests
	$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120 \
		--nbval-sanitize-with solutions/nbval.cfg -n 2 --dist loadfile solutions

# make grade SUBMISSIONS=folder
grade: $(VENV)/ready
	@test -n "$(SUBMISSIONS)" || { echo "Say what to grade: make grade SUBMISSIONS=folder"; exit 2; }
	$(BIN)/python -m grader grade "$(SUBMISSIONS)" --out results

# The autograder to upload to Gradescope: autograder.zip
gradescope: $(VENV)/ready
	$(BIN)/python -c 'from grader.export import autograder; print(autograder.build("autograder.zip"))'

# Rebuild both notebooks of every lesson from solutions/*.py and run what changed.
build: $(VENV)/ready
	$(BIN)/python solutions/build.py --execute

bench: $(VENV)/ready
	$(BIN)/python -m grader bench

# Lessons in a real browser. What it saw is kept in screenshots/.
browser: $(VENV)/ready
	@command -v chromium > /dev/null || { echo "make browser needs Chromium: apt-get install chromium"; exit 2; }
	$(BIN)/python -m pytest tests/in_a_browser.py

# The interpreter's contract, and three lessons, with another Triton: make contract TRITON=3.6.0 (or newest)
contract: $(VENV)/ready
	$(BIN)/python tests/matrix.py $(TRITON)

# The same with every Triton that people have; docs/triton_versions.json keeps what works where.
matrix: $(VENV)/ready
	$(BIN)/python tests/matrix.py

# pip compiles with one core. Some packages hold templates that end in .py and do not compile.
$(VENV)/ready: requirements.txt requirements-grading.txt requirements-dev.txt constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-compile -r requirements-dev.txt -c constraints.txt
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib > /dev/null || true
	@touch $@
