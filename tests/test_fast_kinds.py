"""Tensors that no kernel takes, and ways to call one: PyTorch's own behaviour, or its error."""

import threading

import pytest
import torch
from test_fast import guarded  # noqa: F401
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from grader import fast


class Subclass(torch.Tensor):
    """A tensor of another type."""


X, TARGET = torch.arange(12.0).view(3, 4), torch.tensor([1, 2, 3])
RAGGED = [torch.ones(2, 4), torch.ones(3, 4)]
KINDS = {
    "meta": lambda: X.to("meta"),
    "fake": lambda: FakeTensorMode().from_tensor(X),
    "subclass": lambda: X.as_subclass(Subclass),
    "coordinates": lambda: X.to_sparse(),
    "compressed rows": lambda: X.to_sparse_csr(),
    "jagged": lambda: torch.nested.nested_tensor(RAGGED, layout=torch.jagged),
    "nested": lambda: torch.nested.nested_tensor(RAGGED),
    "mkldnn": lambda: X.to_mkldnn(),
    "parameter": lambda: torch.nn.Parameter(X),
}
FUNCTIONS = {
    "softmax": (fast.softmax, torch.softmax),
    "log_softmax": (fast.log_softmax, torch.log_softmax),
    "cross_entropy": (fast.cross_entropy, torch.nn.functional.cross_entropy),
    "linear_cross_entropy": (
        lambda x, target: fast.linear_cross_entropy(x, x, target, ignore_index=3),
        lambda x, target: torch.nn.functional.cross_entropy(torch.nn.functional.linear(x, x), target, ignore_index=3),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.filterwarnings("ignore")
def test_tensors_of_other_kinds(kind, name):
    """The type, layout, device and shape of PyTorch's result; or the type and the words of its error."""
    found = []
    for function in FUNCTIONS[name]:
        x = KINDS[kind]()
        second = TARGET.to(x.device) if name.endswith("cross_entropy") else -1
        try:
            y = function(x, second)
            found.append((type(y), y.layout, y.device, y.dtype, None if y.is_nested else y.shape))
        except Exception as error:
            found.append((type(error), str(error)))
    assert found[0] == found[1]


def test_a_mode_sees_operators():
    """As it sees PyTorch's: a kernel that it does not see would be lost."""

    class Seen(TorchDispatchMode):
        def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
            names.append(operator.name())
            return operator(*args, **(kwargs or {}))

    names: list[str] = []
    with Seen():
        fast.softmax(X), fast.cross_entropy(X, TARGET)
    assert {"five_passes::softmax", "five_passes::cross_entropy"} <= set(names)


def test_threads_may_call_at_once():
    """An interpreter runs one kernel at a time; the others wait."""
    errors = []

    def work():
        try:
            for _ in range(3):
                torch.testing.assert_close(fast.softmax(X), torch.softmax(X, -1))
                fast.cross_entropy(X, TARGET)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
