"""Results in other formats, one module for each. All read results.jsonl; canvas.py also reads a gradebook.

Runs in: `python -m grader export`.
May import: checks, classroom, isolation, judge, language, lessons, mistakes, root, sentence.
Start reading: entries.py (the rows), then one format, such as csv.py.

entries       the rows, and which of a student's files counts
csv, canvas (with gradebook), gradescope, github, junit, html   one format each; statistics: of a class
likeness      equal answers, for a person to look at
autograder/   the package for Gradescope
"""
