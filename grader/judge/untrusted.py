"""Code of the course that handles values of an answer: where it raises, the value is at fault."""

from __future__ import annotations

import warnings

from ..sentence import said


class NotHandled(ResourceWarning):
    """Code of the course raised an exception over a value of an answer.

    Python shows no ResourceWarning by default. The tests make this one an error, so that a mistake of the course, which
    would look the same, is found there.
    """


def handle(function, *args, otherwise):
    """function(*args), where the arguments hold values of an answer. If it raises, otherwise(sentence about the error).

    OSError and MemoryError are raised on: values are bounded when they arrive, so these are faults of the machine.
    """
    try:
        return function(*args)
    except (OSError, MemoryError):
        raise
    except Exception as error:
        sentence = f"{type(error).__name__}: {str(error)[:200]}"
        warnings.warn(
            said("{function} raised {sentence}", function=repr(function), sentence=sentence), NotHandled, stacklevel=2
        )
        return otherwise(sentence)
