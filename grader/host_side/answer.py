"""The import of an answer's text and of its driver."""

from __future__ import annotations

import ast
import asyncio
import builtins
import importlib.util
import inspect
import os
import random
import sys
import time
import types

import numpy
import torch

from ..interpreter.triton_private import is_kernel
from .handles import Handle

_wrap_triton = torch.library.wrap_triton


class Answer:
    """The text of an answer, imported as the module `answer`, and the driver of its exercise.

    folder: for the answer's file. path: of this file.
    """

    def __init__(self, folder: str):
        self.path = os.path.join(folder, "answer.py")
        # Random numbers are the same in every run of an answer. PyTorch's generator has a fixed seed by default.
        random.seed(0)
        numpy.random.seed(0)
        self._driver, self._module = types.ModuleType("check"), None

    def write(self, source: str) -> dict:
        """Store the text of the answer. Returns the reply: "no_worker" for a full disk, no fault of the answer."""
        try:
            with open(self.path, "w", encoding="utf-8") as f:
                f.write(source)
        except OSError as error:
            return {"no_worker": error.strerror}
        return {}

    def load(self, driver: str, **given) -> None:
        """Run a driver, in a module of its own, and then the answer. Raises the exceptions of the answer.

        driver: text of the course with functions that call the answer. given: objects that the driver may use, by name.
        """
        torch.compile, torch.library.wrap_triton = _as_it_is, _for_an_operator
        vars(self._driver).update(given)
        exec(compile(driver, "<check>", "exec"), vars(self._driver))
        self._module = _import(self.path)

    def get(self, name: str):
        """The object of this name: the driver's, or else the answer's. Raises AttributeError."""
        return vars(self._driver)[name] if name in vars(self._driver) else getattr(self._module, name)


def _as_it_is(function=None, **options):
    """torch.compile without a compiler: the check counts the operations that are written down."""
    return _as_it_is if function is None else function


def _for_an_operator(kernel):
    """torch.library.wrap_triton: of an interpreted kernel it is the kernel, which PyTorch 2.11 and older refuse."""
    return kernel if is_kernel(kernel) else _wrap_triton(kernel)


def _import(path: str):
    spec = importlib.util.spec_from_file_location("answer", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["answer"] = module
    module.__builtins__ = vars(builtins) | {"type": _Type}
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    if code.co_flags & inspect.CO_COROUTINE:  # a cell may await
        _Loop().run_until_complete(eval(code, vars(module)))
    else:
        exec(code, vars(module))
    return module


class _Loop(asyncio.BaseEventLoop):
    """An event loop that only waits: asyncio's own needs a pair of sockets, which this process may not have."""

    def __init__(self):
        super().__init__()
        self._selector = self

    def select(self, timeout: float | None) -> list:
        time.sleep(0.001 if timeout is None else timeout)
        return []

    def _process_events(self, events):
        """There are none."""


class _OfTypes(type):
    """The behaviour of `type` in an answer: it is Python's own, but that a handle is a torch.Tensor."""

    def __call__(cls, *args, **kwargs):
        if cls is not _Type:
            return super().__call__(*args, **kwargs)
        made = type(*args, **kwargs)
        return torch.Tensor if made is Handle else made

    def __instancecheck__(cls, instance):
        return isinstance(instance, type) if cls is _Type else super().__instancecheck__(instance)

    def __subclasscheck__(cls, other):
        return issubclass(other, type) if cls is _Type else super().__subclasscheck__(other)


class _Type(type, metaclass=_OfTypes):
    """`type`, for the text of an answer."""

    def __class_getitem__(cls, item):
        return type[item]
