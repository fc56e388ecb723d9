"""What `import grader` does in a notebook: choose how kernels run, guard the interpreter, warm the workers."""

from __future__ import annotations

import sys

from .. import environment, interpreter


def start() -> None:
    """Make this process ready. It must come before anything imports Triton, which reads the choice once."""
    environment.prepare()
    if environment.interpreted():
        interpreter.install()
    shell = _shell()
    if shell is None:
        return
    from ..judge import zygotes
    from . import alt_text, errors, history

    history.record(shell)
    shell.set_custom_exc((Exception,), errors.tell)
    shell.display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", alt_text.bundle)
    zygotes.warm("interpreted", "compiled")


def _shell():
    """The running IPython, None outside of a notebook. IPython is asked for only where it is loaded already."""
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()
