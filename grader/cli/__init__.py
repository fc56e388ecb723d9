"""The commands of python -m grader, one module each: `add` defines the arguments, `run` runs the command.

Runs in: a shell.
May import: auditing, bench, classroom, export, isolation, judge, language, lessons, mistakes, notebook, racing, root,
sentence, spec.
Start reading: grade.py.

start, check, recall, run   for learners; work_file: what is read, verdicts: what is said of it, saved: when a file
                      that is watched was saved
grade, race, merge, export, listing, doctor, bench   for instructors; class_files: what `grade` and `race` share
audit                 for kernels of one's own
explain, new          for authors; skeleton/: the texts of `new`
"""
