"""The isolation ladder: four rungs, each proved before it is named.

limits      what a process may ask of itself; an accident stays one answer's accident
landlock    files: Python and the system to read, a scratch folder to write
seccomp     no other processes, no network, no owners and modes of files, no doors into the kernel
namespaces  the same again, by other means: no process and no network of the machine is there to be reached

The first alone is no boundary against malice.
"""

from .ladder import LEVELS, RUNGS, UNKNOWN, Sandbox, in_words, level, proved

__all__ = ["LEVELS", "RUNGS", "UNKNOWN", "Sandbox", "in_words", "level", "proved"]
