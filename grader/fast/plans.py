"""What follows from the layout of tensors alone is planned once for each layout, and kept while it is in use."""

from __future__ import annotations

from collections.abc import Callable

MOST = 4096  # layouts that are kept: some MB, and more than any training run has


class Plans:
    """Plans by key, at most MOST of them; those in use stay.

    There are two generations. A plan that is used joins the young one. When that is full it becomes the old one, and
    what was left in the old one goes. So a plan costs one look into a dict, and no order is kept, as in an LRU.
    """

    def __init__(self) -> None:
        self._young: dict[tuple, object] = {}
        self._old: dict[tuple, object] = {}

    def __len__(self) -> int:
        return len(self._young | self._old)

    def of(self, key: tuple, make: Callable[[], object]) -> object:
        """The plan for a key; make() makes it. Two threads that need it first may both make one; they are alike."""
        plan = self._young.get(key)
        if plan is None:
            plan = self._old.get(key) or make()
            if len(self._young) >= MOST // 2:
                self._old, self._young = self._young, {}
            self._young[key] = plan
        return plan
