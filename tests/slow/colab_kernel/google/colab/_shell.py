"""The shell and the kernel: ids of cells under another name, errors sent by hand, advice below an ImportError."""

from ipykernel.ipkernel import IPythonKernel
from ipykernel.zmqshell import ZMQInteractiveShell
from IPython.core.history import HistoryManager


class History(HistoryManager):
    """Keeps the cells that ran, as Colab's page asks for them."""

    def store_inputs(self, line_num, source, source_raw=None):
        super().store_inputs(line_num, source, source_raw=source_raw)
        metadata = self.shell.parent_header.get("metadata", {})
        self.cells = [*getattr(self, "cells", []), (metadata.get("colab", {}).get("cell_id"), source_raw)]


class Stack:
    """A traceback with buttons below it. It is no list, whatever IPython expects."""

    def __init__(self, lines):
        self.lines = lines


class WithAdvice(Exception):
    """An error that brings its own traceback."""

    def __init__(self, text, stack):
        super().__init__(text)
        self.stack = stack

    def _render_traceback_(self):
        return self.stack


def on_import_error(shell, kind, error, trace, tb_offset=None):
    """Below each ImportError stands how to install things."""
    lines = shell.InteractiveTB.structured_traceback(kind, error, trace, tb_offset=tb_offset)
    advised = WithAdvice(str(error), Stack([*lines, "", "NOTE: If your import is failing, use !pip or !apt."]))
    return shell.showtraceback(exc_tuple=(kind, advised, trace))


class Shell(ZMQInteractiveShell):
    """The class that get_ipython() shows in Colab."""

    def init_history(self):
        self.history_manager = History(shell=self, parent=self)
        self.configurables.append(self.history_manager)

    def _showtraceback(self, kind, error, stack):
        lines = stack.lines if isinstance(stack, Stack) else stack
        content = {"traceback": lines, "ename": kind.__name__, "evalue": str(error)}
        self.displayhook.session.send(self.displayhook.pub_socket, "error", content, self.displayhook.parent_header)
        self._last_traceback = lines


class Kernel(IPythonKernel):
    """A kernel with that shell."""

    def _shell_class_default(self):
        return Shell
