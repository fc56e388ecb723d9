# exercise: 14.3
import operator
from collections.abc import Callable
from dataclasses import dataclass
import torch
from triton import next_power_of_2
from grader import fast
from grader.fast import pick as p


@dataclass(frozen=True, slots=True)
class Rule:
    launcher: Callable
    applies: Callable[[torch.Tensor, int, int, bool], bool]


RULES = (
    Rule(p.odd, lambda x, m, n, half: half and 256 < n <= 32768 and x.is_contiguous() and not p.aligned(x)),
    Rule(p.two, lambda x, m, n, half: (4096 if half else 1024) <= (b := next_power_of_2(n) // 2) <= 16384 and n < 1.5 * b),
    Rule(p.pairs, lambda x, m, n, half: p.can_pair(x) and (8192 < n <= 16384 or n == 32768)),
    Rule(p.tile, lambda x, m, n, half: n <= (16384 if half else 32768)),
    Rule(p.split, lambda x, m, n, half: x.nbytes <= (34_000_000 if half else 16_000_000)),
    Rule(p.shared, lambda x, m, n, half: p.can_share(x)),
    Rule(p.online, lambda x, m, n, half: m >= 64),
    Rule(p.split, lambda *_: True),
)


class Router:
    def __init__(self, rules=RULES):
        self._rules = rules
        self.chosen = {}

    def __getitem__(self, x):
        key = (x.shape, x.stride(), x.dtype, x.data_ptr() % 16)
        if key not in self.chosen:
            args = (x, *x.shape, x.element_size() == 2)
            self.chosen[key] = next(rule.launcher for rule in self._rules if rule.applies(*args))
        return self.chosen[key]


route = Router()
DTYPES = frozenset([torch.float32, torch.float16, torch.bfloat16])


def softmax(x):
    if (getattr(x, "ndim", None), getattr(x, "dtype", None) in DTYPES) != (2, True):
        raise TypeError(f"softmax wants a matrix of 16 or 32 bit floats, and this is {x if not hasattr(x, 'shape') else x.shape}")
    y = x.new_empty(x.shape)
    if operator.ne(x.stride(-1), 1):
        x = x.contiguous()
    route[x](y, x)
    return y
