"""The start of a session, by `import grader`: choose how kernels run, hook the interpreter, start the workers."""

from __future__ import annotations

import functools
import sys

from .. import environment, interpreter
from ..interpreter import triton_private
from ..language import say
from ..sentence import said


def start() -> None:
    """Prepare this process. It must run before Triton is imported, because Triton reads the choice only once."""
    environment.prepare()
    if environment.interpreted():
        interpret()
    shell = _shell()
    if shell is None:
        return
    from ..judge import zygotes
    from . import alt_text, errors, history, printed

    history.record(shell)
    shell.ast_transformers.append(printed.InLanguage())
    shell.set_custom_exc((Exception, KeyboardInterrupt), errors.tell)
    shell.display_formatter.mimebundle_formatter.for_type_by_name("matplotlib.figure", "Figure", alt_text.bundle)
    zygotes.warm("interpreted", "compiled")
    zygotes.end_when_idle()
    # Whoever comes back runs some cell before the one with a check, and the workers start meanwhile.
    shell.events.register("pre_run_cell", lambda info: zygotes.warm("interpreted", "compiled"))


def interpret() -> None:
    """Hook the interpreter of this process, in which nothing can be timed: an autotuned kernel says what it takes."""
    if "on" in interpreter.install().values():
        triton_private.send_decorated(say_configuration)


@functools.cache
def say_configuration(kernel: str, configuration: str) -> None:
    """Print it once for each kernel and configuration."""
    print(
        say(
            said(
                "{kernel} is autotuned, and interpreted kernels are not timed: it runs with {configuration}",
                kernel=kernel,
                configuration=configuration,
            )
        )
    )


def _shell():
    """The running IPython shell, None outside of a notebook. It does not import IPython."""
    if "IPython" not in sys.modules:
        return None
    return sys.modules["IPython"].get_ipython()
