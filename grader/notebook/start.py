"""The start of a session, by `import grader`: choose how kernels run, hook the interpreter, start the workers."""

from __future__ import annotations

import sys

from .. import environment, interpreter


def start() -> None:
    """Prepare this process. It must run before Triton is imported, because Triton reads the choice only once."""
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
    """The running IPython shell, None outside of a notebook. It does not import IPython."""
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()
