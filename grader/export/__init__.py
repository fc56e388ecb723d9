"""Results in other formats, one module for each. All read results.jsonl; canvas.py also reads a gradebook.

Runs in: `python -m grader export`.
May import: classroom, isolation, judge, lessons, root.
Start reading: entries.py (the rows), then one format, such as csv.py.
"""
