"""The configurations of autotuned kernels: which one runs, and whether others run before, as on a GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from ..interpreter import triton_private
from ..notebook.start import say_configuration
from ..sentence import Said, joined, said

_MOST = 4  # configurations of a kernel that run


class Tuning:
    """What the configurations of the autotuned kernels are, and which of them run now.

    choices: of each kernel with a choice, the configurations that differ in more than warps and stages, in words. turn:
    the number of the configuration that runs. rehearsed: whether others run before, on the same memory.
    """

    def __init__(self):
        self.choices: dict[str, list[str]] = {}
        self._turn, self._rehearsed = 0, False

    def chosen(self, kernel: str, settings: list[dict], runs: list[Callable[[], None]]) -> int:
        """The place of the configuration that a launch takes. runs: each of them, as Triton runs it for its time."""
        different = [i for i, each in enumerate(settings) if each not in settings[:i]]
        if kernel not in self.choices:
            self.choices[kernel] = [", ".join(f"{n}={v}" for n, v in settings[i].items()) for i in different]
        if self._rehearsed:
            for i in different[1:3] or [len(runs) - 1]:
                runs[i]()
        return different[min(self._turn, len(different) - 1)]

    @contextlib.contextmanager
    def told(self) -> Iterator[None]:
        """Inside the block, launches of autotuned kernels ask for their configuration here."""
        triton_private.send_decorated(rehearse=self.chosen)
        try:
            yield
        finally:
            triton_private.send_decorated(say_configuration)

    @contextlib.contextmanager
    def of(self, turn: int, rehearsed: bool) -> Iterator[None]:
        """Inside the block, launches take this configuration."""
        before = self._turn, self._rehearsed
        self._turn, self._rehearsed = turn, rehearsed
        try:
            yield
        finally:
            self._turn, self._rehearsed = before

    def turns(self) -> list[tuple[int, bool, Said | str]]:
        """(turn, rehearsed, in words) of what is left to try, once the first configuration has run."""
        if not self.choices:
            return []
        found: list[tuple[int, bool, Said | str]] = []
        most = max(map(len, self.choices.values()))
        for turn in range(1, min(most, _MOST)):
            each = [
                said("{kernel} with {configuration}", kernel=kernel, configuration=choices[turn])
                for kernel, choices in self.choices.items()
                if turn < len(choices)
            ]
            found.append((turn, False, joined("{one}; {two}", each)))
        return [*found, (0, True, said("tuned first, as on a GPU, where other configurations run on the same memory"))]

    def left_out(self, tried: int) -> list[Said]:
        """What is not tried, in sentences. tried: the number of configurations that ran."""
        return [
            said("{count} other configurations of {kernel}", count=len(choices) - tried, kernel=kernel)
            for kernel, choices in self.choices.items()
            if len(choices) > tried
        ]
