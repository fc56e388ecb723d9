"""A card for races without a GPU: interpreted kernels, and a clock that is given.

It cannot capture, so a replay gives the orders again. Memory that `empty` makes is poisoned when it is made: on a GPU
that happens before a replay, to all of it. Inputs have memory to spare, as there.
"""

import itertools
import math

import torch

from grader.cuda import host
from grader.interpreter.ledger import Ledger
from grader.spec import Call, Card

_SPARE = 64  # elements


class PaperCard:
    """times: µs of the runs, again and again. A callable gets the run, and returns µs."""

    device = torch.device("cpu")

    def __init__(self, times=(100.0,), peak=None, l2=0, captures=True, notes=()):
        self._times, self._peak, self._l2, self._captures = itertools.cycle(times), peak, l2, captures
        self._notes, self.places, self.tuned, self.runs = notes, [], [], 0

    def record(self):
        return Card("paper", self._peak, self._l2, tuple(self._notes))

    def blank(self, shape, dtype, place):
        self.places.append(place)
        return torch.empty(math.prod(shape) + _SPARE, dtype=dtype)[: math.prod(shape)].view(shape)

    def generator(self, seed):
        return torch.Generator().manual_seed(seed)

    def prepared(self, play, inputs):
        replay = _Replay(play, inputs, self._captures)
        replay.run()
        return replay

    def time(self, run):
        run()
        self.runs += 1
        return next(self._times), True

    def tune(self, runs, tensors):
        kept = [tensor.clone() for tensor in tensors]
        for run in runs:
            run()
        for tensor, before in zip(tensors, kept):
            tensor.copy_(before)
        self.tuned.append(len(runs))
        return len(runs) - 1, 0.5

    def cuda(self, source, function):
        host.with_kernel(source, function, 0)

        def launch(grid, threads, args):
            host.launch(source, Ledger(), Call("cuda", "", args, {"function": function, "threads": threads}, grid))

        return launch

    def look(self):
        pass


class _Replay:
    def __init__(self, play, inputs, captures):
        self._play, self._inputs, self._generator, self._first = play, inputs, None, True
        self.way, self.why = ("graph", None) if captures else ("tape", "no graph")

    def run(self):
        self.result = self._play(self._made)

    def poison(self, generator):
        self.result, self._generator = None, None if self._first else generator
        self._first = False
        for each in self._inputs:
            self._fill(each)

    def _made(self, tensor, name):
        if "empty" in name:
            self._fill(tensor)

    def _fill(self, tensor):
        memory = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
        memory.fill_(0xFF) if self._generator is None else memory.random_(0, 256, generator=self._generator)
