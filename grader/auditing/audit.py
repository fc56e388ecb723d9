"""audit(function, reference, *inputs): every case that shows a mistake which others hide, and a report of them."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

from .. import environment, interpreter
from ..compiler.targets import TARGETS
from ..interpreter import triton_private
from ..notebook import beside
from ..sentence import listed, said
from .arguments import Arguments
from .cases import cases
from .compiled_for import CARDS
from .examination import CannotAudit, Examination
from .findings import SECTIONS, Fault
from .kernel_lines import called_as, first_line
from .moved import traffic
from .report import Report

_SECONDS = 6.0
_WAIT, _LEAST_WAIT = 9.0, 1.0  # for the compiler: seconds since the audit began, and after its last case


def audit(
    function, reference, *inputs, grid=None, gpus=CARDS, seconds: float = _SECONDS, seed: int = 0, **kwargs
) -> Report:
    """Audit a function that launches Triton kernels, interpreted, against another one that is right.

    function, reference: called with the inputs and keyword arguments; the reference on float64. What one returns is
    compared with what the other returns, and so are the inputs that the reference changes. With grid=, the function is
    a kernel, launched over this grid with the keyword arguments, which the reference does not get. Sizes stay as they
    are, unless the grid is a function, as in Triton: then axes get shorter, and so do the whole numbers among the
    arguments that are their lengths, products of these, or strides. Most cases are made from the inputs: other sizes,
    numbers, dtypes and places in memory. gpus: names of those for which the launches are compiled, as for machine_code;
    () compiles nothing. seconds: after which no more cases are made. seed: of what is drawn at random. Returns a
    Report, which is true where no fault was found. Raises CannotAudit where there is nothing to audit: for a reference
    that fails on the inputs, and on a machine without Triton.

    >>> assert audit(my_softmax, lambda x: torch.softmax(x, -1), torch.randn(4, 781))
    """
    if missing := environment.without_triton():
        raise CannotAudit(said("audit needs Triton. {missing}", missing=missing))
    try:
        import triton  # noqa: F401 - the file of the function has done so, unless it fails
    except Exception as error:
        values = {"type": type(error).__name__, "error": error}
        raise CannotAudit(said("Triton cannot be imported: {type}: {error}", **values)) from None
    unknown = [gpu for gpu in gpus if gpu not in TARGETS]
    if unknown:
        values = {"gpu": repr(unknown[0]), "list": listed(TARGETS)}
        raise CannotAudit(said("audit knows no GPU {gpu}: choose among {list}", **values))
    if not seconds > 0:
        raise CannotAudit(said("seconds={seconds} leaves no time: a number above 0, please", seconds=seconds))
    order = function, reference, inputs, kwargs, grid, tuple(gpus), seconds, seed
    if environment.interpreted():
        interpreter.install()
        return audited(*order)
    function, *rest = order
    return beside.run(audited, function, *rest)


def audited(function, reference, inputs, kwargs: dict, grid, gpus: tuple, seconds: float, seed: int) -> Report:
    """As `audit`, in this process, which interprets its kernels."""
    begun = time.monotonic()
    if grid is None:
        target, given = function, Arguments.of(function, inputs, kwargs)
    else:
        constants = frozenset(
            v for k, v in kwargs.items() if type(v) is int and k not in triton_private.launch_options()
        )
        target, given = _launched(function, grid, kwargs), Arguments.of(function.fn, inputs, {}, constants)
    examination = Examination(target, reference, gpus, seed)
    examination.begin(given)
    reached = True
    with _one_thread(), examination.tuning.told(), _alarm(seconds) as limit:
        try:
            for case in cases(given, examination, fixed=grid is not None and not callable(grid), seed=seed):
                examination.examine(case)
                if time.monotonic() - begun > seconds:
                    raise limit
        except limit:
            reached = False
    for sentence in examination.tuning.left_out(examination.configurations):
        examination.not_seen(sentence)
    if not reached:
        examination.not_seen(said("the rest of the cases: the time of {seconds} s was over", seconds=f"{seconds:g}"))
    return _report(called_as(function), called_as(reference), examination, seconds, seed, begun)


def _launched(kernel, grid, kwargs: dict) -> Callable:
    """A function of the kernel's positional arguments that launches it."""

    def launch(*args):
        kernel[grid](*args, **kwargs)

    return launch


def _report(function: str, reference: str, examination: Examination, seconds: float, seed: int, begun: float) -> Report:
    """The report of an examination that is over."""
    findings, done, view = examination.findings, examination.given, None
    if examination.compiling is not None:
        view = examination.compiling.finished(max(_LEAST_WAIT, max(_WAIT, seconds) - (time.monotonic() - begun)))
        for launch, why in view.refused:
            lines = first_line(launch.kernel)
            findings.fault(
                Fault("compiler", why, done.arguments.described(), done.arguments.size(), lines, (lines, why))
            )
        for sentence in view.unseen:
            examination.not_seen(sentence)
    return Report(
        function,
        reference,
        sorted(findings.faults, key=lambda fault: SECTIONS.index(fault.section)),
        findings.notes,
        findings.refusals,
        examination.unseen,
        examination.counts,
        traffic(done) if done else None,
        done.arguments.described() if done else "",
        view,
        examination.gpus,
        seed,
        time.monotonic() - begun,
        examination.launched,
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Inside the block PyTorch computes in one thread: for small tensors, others only wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def _alarm(seconds: float) -> Iterator[type[BaseException]]:
    """Yields the exception that ends the block after these seconds, also in the middle of a kernel.

    Only the main thread can be interrupted; in any other one no case begins after that time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield _TimeIsOver
        return

    def ring(*_):
        raise _TimeIsOver

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield _TimeIsOver
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class _TimeIsOver(KeyboardInterrupt):
    """The time of an audit is over. As an interrupt: the interpreter does not take it for an error of a kernel."""
