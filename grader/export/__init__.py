"""Results in other formats, one module for each. All read results.jsonl; canvas.py also reads a gradebook.

Runs in: `python -m grader export` and `race`.
May import: checks, classroom, isolation, judge, language, lessons, mistakes, notebook, racing, root,
sentence, spec.
Start reading: entries.py (the rows), then one format, such as csv.py.

entries       the rows, and which of a student's files counts; who is missing
terms         what a row is worth: points of the assignment, a person's word, lateness
csv, canvas (with gradebook), canvas_comments, moodle, moodle_feedback, gradescope, github, junit, html, mail, likeness
              one format each; archive: a zip; feedback: the lines about a student
next_steps    what those who grade have to do next, at the head of the report; choices: what `grade` left to a person
letters       who has to hand in again, and what to write to them
nearest       the stored wrong answer that is nearest to a student's
statistics    of a class
ranking       of a race: shares, noise, ranks, ties; race_page, race_csv: its page and its table; race_points: what
              a race does to points
autograder/   the package for Gradescope
"""
