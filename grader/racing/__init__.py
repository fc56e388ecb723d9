"""The race: how long an answer takes on the GPU of this machine, beside a copy, by a clock that no answer can touch.

Runs in: the judge's process, as the verdict on an answer does.
May import: judge, protocol, root, sentence, spec.
Start reading: race.py.

race      an exercise, an answer and a secret -> what a race gives
raced     that record, one for each entrant
events    the exercises that race: their inputs and shapes
drivers/  a text that joins an answer, and calls it as a race does
"""
