# For instructors: an image that grades with the network off.
#   docker build -t five-passes .
#   docker run --rm --network none -v "$PWD/submissions:/submissions:ro" -v "$PWD/results:/results" five-passes
FROM python:3.12-slim
ENV PYTHONUNBUFFERED=1 PIP_NO_CACHE_DIR=1
# Lesson 12 compiles C++; Triton builds its launcher with the same compiler.
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /course
COPY requirements.txt requirements-grading.txt constraints.txt ./
RUN pip install -r requirements-grading.txt -c constraints.txt
COPY colab_setup.py pyproject.toml ./
COPY notebooks notebooks
COPY grader grader
RUN useradd --create-home grader && mkdir /results && chown grader /results
USER grader
ENTRYPOINT ["python", "-m", "grader"]
CMD ["grade", "/submissions", "--out", "/results"]
