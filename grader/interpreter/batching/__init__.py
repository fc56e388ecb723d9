"""Many programs of a launch in one pass of its kernel. Start reading: scheduler.py, then array.py and conflicts.py."""
