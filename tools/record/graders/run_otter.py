"""Otter's own way to grade without containers, for the students' folders

It runs where otter is installed, in the folder that otter_assignment.write made.
"""

import json
import pathlib

from otter.api import grade_submission

for student in sorted(path for path in pathlib.Path().glob("student*") if path.is_dir()):
    passed = {}
    for path in sorted(student.glob("*.ipynb")):
        zipped = pathlib.Path(path.name.split("_")[0]) / "autograder.zip"
        for name, result in grade_submission(str(path), str(zipped), quiet=True).results.items():
            passed[name] = result.score == result.possible
    pathlib.Path(f"{student}.json").write_text(json.dumps(passed), encoding="utf-8")
