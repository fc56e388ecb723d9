"""The race: how long an answer takes on the GPU of this machine, beside a copy, by a clock that no answer can touch.

Runs in: the judge's process, as the verdict on an answer does.
May import: sentence, spec.
Start reading: race.py.

raced   what a race gives: one record for each entrant, and one for each matrix of it
race    an exercise, an answer and a secret -> what a race gives
"""
