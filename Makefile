# Two commands, each doing all of its own set-up:   make learn   make test
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export FIVE_PASSES_PROGRESS
export PYDEVD_DISABLE_FILE_VALIDATION = 1
# What has been imported once is compiled, whatever the machine's setting: the course starts many processes.
export PYTHONDONTWRITEBYTECODE =

.PHONY: learn test release grade gradescope build bench browser whole runs narrow answers gpu cards contract matrix hosted fork nbgrader site site-check

# Containers often run as root, which JupyterLab refuses unless told.
learn: $(VENV)/lab
	$(BIN)/jupyter lab --LabApp.default_url=/lab/tree/notebooks/00_check_your_bench.ipynb --LabApp.app_settings_dir=tools/lab $(if $(filter 0,$(shell id -u)),--allow-root)

# make test ONLY=5.3 runs what belongs to one exercise.
OF_ONE := $(patsubst %,tests/test_%.py,answers course build rooms)
LESSON = $(wildcard solutions/$(shell printf '%02d' $(basename $(ONLY)))_*.ipynb)
test: FIVE_PASSES_PROGRESS = off
test: $(VENV)/dev
	$(BIN)/python tools/build.py --check
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest $(if $(ONLY),--only $(ONLY) $(OF_ONE),-n 2 --dist worksteal -m "not more_answers and not whole" tests)
	$(BIN)/python -m pytest --nbval --nbval-current-env --nbval-cell-timeout=120 \
		--nbval-sanitize-with tools/nbval.cfg $(if $(ONLY),$(LESSON),-n 3 --dist loadfile solutions)

# What a release needs beyond make test: a translation of every sentence.
release: $(VENV)/dev
	$(BIN)/python tools/build.py --check --release

# make grade SUBMISSIONS=folder
grade: $(VENV)/grading
	@test -n "$(SUBMISSIONS)" || { echo "Say what to grade: make grade SUBMISSIONS=folder"; exit 2; }
	$(BIN)/python -m grader grade "$(SUBMISSIONS)" --out results

# The autograder to upload to Gradescope: autograder.zip
gradescope: $(VENV)/grading
	$(BIN)/python -c 'from grader.export import autograder; print(autograder.build("autograder.zip"))'

# Rebuild both notebooks of every lesson from solutions/*.py and run what changed.
build: $(VENV)/dev
	$(BIN)/python tools/build.py --execute

# Name a repository on GitHub in badges, lone notebooks, pages and the workflow: make fork REPO=OWNER/NAME
fork: $(VENV)/dev
	@test -n "$(REPO)" || { echo "Say which repository: make fork REPO=OWNER/NAME"; exit 2; }
	$(BIN)/python tools/build.py --repo $(REPO)

bench: $(VENV)/dev
	$(BIN)/python -m grader bench

# Lessons in a real browser. What it saw is kept in screenshots/.
browser: $(VENV)/browser
	@command -v chromium > /dev/null || { echo "make browser needs Chromium: apt-get install chromium"; exit 2; }
	$(BIN)/python -m pytest tests/slow/in_a_browser.py tests/slow/report_in_a_browser.py

# The course as pages to read, in site/html: open index.html there, or put the folder on any server.
site: $(VENV)/site
	$(BIN)/python site/gather.py
	rm -rf site/html
	$(BIN)/sphinx-build -q -W --keep-going -b html -d site/pages/.doctrees -c site site/pages site/html
	@echo "site/html/index.html"

# These pages in a real browser: light, dark, on a phone, by keyboard, without another host.
site-check: site $(VENV)/browser
	@command -v chromium > /dev/null || { echo "make site-check needs Chromium: apt-get install chromium"; exit 2; }
	$(BIN)/python -m pytest tests/slow/site_in_a_browser.py

# The stored answers and the mutants that make test leaves out, and edits of right answers. PART=2/5: a fifth of them.
answers: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m more_answers $(if $(PART),--part $(PART)) tests

# What takes seconds a test: whole notebooks, classes, exports, hostile replies to every exercise. PART=1/2: half of it.
whole: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 --dist worksteal -m whole $(if $(PART),--part $(PART)) tests

# Runs of the real commands: killed, in parts, on a cluster, as the pages for instructors and authors say. PART=1/2: half.
runs: $(VENV)/cluster
	$(BIN)/python -m pytest -n 2 --dist worksteal $(if $(PART),--part $(PART)) tests/slow/real_runs.py \
		tests/slow/instructors_page.py tests/slow/new_exercise.py

# nbgrader itself, with the lessons as its assignments. Its environment sees the course's packages behind its own.
nbgrader: $(VENV)/dev .env-nbgrader/ready
	$(BIN)/python -m pytest tests/slow/nbgrader_course.py

# Right and wrong answers on machines that lack system calls, memory, processes or a compiler.
narrow: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 tests/slow/narrow_machines.py

# Every kernel of the shipped softmax and of the lessons' solutions, compiled to machine code for the GPUs that people have.
cards: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 tests/slow/every_card.py

# The shipped softmax, races, right answers, and all notebooks, on the GPU of this machine: records/notebooks_on_a_gpu.json
# keeps what was run.
gpu: $(VENV)/dev
	$(BIN)/python -m pytest tests/slow/on_a_gpu.py tests/slow/races_on_a_gpu.py tests/slow/class_on_a_gpu.py
	$(BIN)/python -m pytest -n 4 tests/test_answers.py -k right_answer
	$(BIN)/python tests/slow/notebooks_on_a_gpu.py --out records/notebooks_on_a_gpu.json

# Every notebook alone in an environment as Colab's is, in .env-hosted. make hosted TORCH=2.13.0 takes another PyTorch.
hosted: $(VENV)/dev
	$(BIN)/python tests/slow/hosted.py $(TORCH)

# The interpreter's contract, and every lesson, with the oldest and the newest Triton, or: make contract TRITON=3.6.0
contract: $(VENV)/dev
	$(BIN)/python tests/slow/matrix.py $(or $(TRITON),3.4.0 newest)

# The same with every Triton that people have; records/triton_versions.json keeps what works where.
matrix: $(VENV)/dev
	$(BIN)/python tests/slow/matrix.py

# What a command needs: the packages of learners, and parts of pyproject.toml. One installer says what is fetched.
$(VENV)/dev: PARTS = grading dev
$(VENV)/cluster: PARTS = grading dev cluster
$(VENV)/browser: PARTS = grading dev lab browser
$(VENV)/%: pyproject.toml constraints.txt tools/install.py | $(BIN)/pip
	@$(BIN)/python tools/install.py $(or $(PARTS),$*)
	@touch $@

.env-nbgrader/ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv .env-nbgrader
	.env-nbgrader/bin/python tools/install.py nbgrader
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > \
		"$$(.env-nbgrader/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/course.pth"
	@touch $@

$(BIN)/pip:
	@command -v $(PYTHON) > /dev/null || { \
		echo "There is no $(PYTHON). Install Python 3.11 or newer, or name one: make $(or $(MAKECMDGOALS),learn) PYTHON=python3.12"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "The course needs Python 3.11 or newer, and $(PYTHON) is `$(PYTHON) --version 2>&1`." \
			"Install a newer one, or name it: make $(or $(MAKECMDGOALS),learn) PYTHON=python3.12"; exit 2; }
	@echo "Making $(VENV) with `$(PYTHON) --version`."
	@$(PYTHON) -m venv $(VENV)
