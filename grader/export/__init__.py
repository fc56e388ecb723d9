"""Results in the formats of others, one module each. All of them read results.jsonl and nothing else.

Runs in: `python -m grader export`.
May import: classroom, isolation, lessons, mistakes, root.
Start reading: entries.py (the rows), then one format, such as csv.py.
"""
