"""What follows from the layout of tensors alone is planned once for each layout, and kept while it is in use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

MOST = 4096  # layouts that are kept: some MB, and more than any training run has


class Plans:
    """Plans by key. Beyond MOST of them, the one that was not used for the longest time goes."""

    def __init__(self) -> None:
        self._plans: OrderedDict[tuple, object] = OrderedDict()

    def __len__(self) -> int:
        return len(self._plans)

    def of(self, key: tuple, make: Callable[[], object]) -> object:
        """The plan for a key; make() makes it. Two threads that need it first may both make one; they are alike."""
        try:
            plan = self._plans[key]
            self._plans.move_to_end(key)
        except KeyError:  # new, or gone since the line above
            plan = self._plans[key] = make()
            while len(self._plans) > MOST:
                self._plans.popitem(last=False)
        return plan
