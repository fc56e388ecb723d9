"""The commands of python -m grader, one module each: `add` says how it is called, `run` does it."""
