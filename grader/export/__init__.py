"""Results in other formats, one module for each. All read results.jsonl; canvas.py also reads a gradebook.

Runs in: `python -m grader export`.
May import: classroom, isolation, judge, language, lessons, root, sentence, spec.
Start reading: entries.py (the rows), then one format, such as csv.py.

entries       the rows, and which of a student's files counts; who is missing
terms         what a row is worth: points of the assignment, a person's word, lateness
csv, canvas (with gradebook), gradescope, github, junit, html   one format each; statistics: of a class
autograder/   the package for Gradescope
"""
