"""The device's memory: the tensors of an answer by number, and the numbers that leave for the host."""

from __future__ import annotations

import torch

from ..protocol.orders import Malformed, Seen
from ..sentence import fault, said

# Numbers that may leave the device in one call: a maximum, a condition, one number for each of many rows. Every lesson
# has inputs with far more, so nobody can compute on the host.
FEW = 256
FEW_AT_ONCE = 16  # of one tensor, by .tolist() or .numpy()
_ALIGNED = 1 << 8  # bytes: addresses keep their remainder by this number


class LeftForHost(RuntimeError):
    """Too many numbers of a tensor would go to the host."""


class Memory:
    """The tensors that the host has handles of.

    Since `begin`: downloaded: numbers that left. exhausted: the refusal after which the call has failed, whatever the
    host says at its end. Without that, each further request would tell a bit: it is refused, or not.
    """

    def __init__(self):
        self._tensors: dict[int, torch.Tensor] = {}
        self._next = 0
        self._addresses: dict[int, int] = {}  # of storages: made-up ones by real ones
        self.begin()

    def begin(self) -> None:
        """Begin a call: count the numbers that leave from 0 on."""
        self.downloaded = 0
        self.exhausted: LeftForHost | None = None

    def keep(self, tensor: torch.Tensor) -> Seen:
        """Give a tensor a number, and say what the host sees of it."""
        self._next += 1
        self._tensors[self._next] = tensor
        return Seen(
            self._next,
            list(tensor.shape),
            list(tensor.stride()),
            tensor.storage_offset(),
            str(tensor.dtype).removeprefix("torch."),
            self._address(tensor),
        )

    def get(self, number: int) -> torch.Tensor:
        """The tensor of this number. Raises Malformed."""
        try:
            return self._tensors[number]
        except (KeyError, TypeError):
            raise Malformed(said("there is no such tensor on the device")) from None

    def free(self, numbers) -> None:
        """Forget tensors that the host has dropped."""
        for number in numbers:
            self._tensors.pop(number, None)

    def download(self, tensor: torch.Tensor, by: str, at_once: bool = False) -> None:
        """Count the numbers of a tensor that leave for the host. Raises LeftForHost if they are more than a few.

        by: name of the operation, for the error. at_once: whether one operation takes all numbers of a tensor.
        """
        self.tell(tensor.numel() * max(1, tensor.element_size() // 4), by, at_once)

    def tell(self, numbers: int, by: str, at_once: bool = False) -> None:
        """As `download`, for numbers that reach the host in another way, such as in a message."""
        at_once = at_once and numbers > FEW_AT_ONCE
        if not at_once:
            self.downloaded += numbers
        if self.downloaded > FEW or at_once:
            error = LeftForHost(
                fault(
                    "numbers-to-host",
                    "{by} takes the numbers of a tensor to the host, {max} of them in this call: they "
                    "live on the device, and operations on them run there",
                    by=by,
                    max=f"{max(numbers, self.downloaded):,}",
                )
            )
            if not at_once and self.exhausted is None:
                self.exhausted = error
            raise error

    def _address(self, tensor: torch.Tensor) -> int:
        real = tensor.untyped_storage().data_ptr()
        if real not in self._addresses:
            self._addresses[real] = (len(self._addresses) + 1) << 40
        return self._addresses[real] + real % _ALIGNED
