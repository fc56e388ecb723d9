"""Grading a class: submitted files become rows of a results store, one row for each file.

Runs in: `python -m grader grade` and `race`, and the processes that they start.
May import: checks, isolation, judge, language, lessons, protocol, racing, root, sentence, spec.
Start reading: plan.py and grading.py, then results_store.py and executors.py.

plan           which file of whom counts, what is left out, who is missing: made before anything is graded
submissions    finds files in folders and zips, reads notebooks
archives       the files in a zip and in the zips in it, with bounds
layouts        whose a file is: what platforms hand out, repositories, folders by hand
file_names     student, lesson, attempt and kind from a name
gradescope_export  who handed in which folder of Gradescope's export
own_output     what the grader itself wrote, such as old results beside a class
mending        files that are almost notebooks: read where that can be, else named
percent        the cells of a Python file, and a notebook as such a file
contents       what a file holds: its lesson, and which exercises it answers
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
row_file       a file of rows: lock, append, sync, set damaged lines aside
results_store  results.jsonl: which rows replace others, cache keys
race_all       files whose answers passed -> their rows in a race
race_rows      race.jsonl: the fields of a row, and its cache key
seeds          seeds and pseudonyms from the secret of a run
sanitize       text from strangers without control characters
"""
