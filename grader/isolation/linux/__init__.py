"""The rungs for Linux, one module each, and the ladder that proves and applies them. Start reading: ladder.py."""
