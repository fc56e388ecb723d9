"""The rungs for Linux, one module each, and the ladder that proves and climbs them. Start reading: ladder.py."""
