"""Grading a class: submitted files become rows of a results store, one row for each file.

Runs in: `python -m grader grade`, and the processes that it starts.
May import: checks, isolation, judge, lessons, protocol, root, sentence, spec.
Start reading: grading.py, then results_store.py and executors.py.

submissions    finds files in folders and zips, reads notebooks
archives       the files in a zip, with bounds
file_names     student, lesson and attempt from a path: Canvas, Moodle, nbgrader
hand_in_times  the times in nbgrader's timestamp.txt
assignment     assignment.toml: lessons, points, weights, due dates, which attempt counts
roster         the students of a class, and the one whom a name in a hand-in means
overrides      overrides.csv: points that a person gives
regrade        requests to grade files again
tables         CSV files of people and platforms
lesson_digest  of the exercises of a lesson: changed ones are graded again
attempts       which of a student's files for one lesson counts
run_order      in which order the cells of a file are read
lesson_of      which lesson a notebook answers
grading        a file -> its row; many files -> rows
executors      processes of this machine, or a Dask cluster
rows           the fields of a row, and the check that a line holds one
results_store  the folder with results.jsonl: lock, append, set damaged lines aside, cache keys
seeds          seeds from the secret of a run
sanitize       text from strangers without control characters
"""
