"""What the ledger of PyTorch operations knows beside the traffic."""

import torch

from grader.interpreter.ledger import Ledger
from grader.interpreter.torch_ledger import TorchLedger


def test_the_ledger_knows_how_much_is_alive_at_once():
    """Views are nothing new, and what is let go makes room."""
    counter = TorchLedger(Ledger())
    with counter:
        a = torch.ones(10)
        b = a[2:].view(2, 4)
        del a, b
        c = torch.ones(6) + torch.ones(6)
        c += 1

    assert 18 == counter.peak


def test_the_ledger_knows_how_often_a_tensor_is_read():
    """By way of any view of it."""
    x, counter = torch.ones(4, 3), TorchLedger(Ledger())
    with counter:
        x[:2] @ x.T
        x.exp()

    assert 6 + 12 + 12 == counter.reads[x.data_ptr()]


def test_rows_taken_by_their_numbers_are_counted_as_rows():
    """Whoever says which, by numbers or by a mask, reads no others."""
    x, counter = torch.ones(4, 3), TorchLedger(Ledger())
    with counter:
        x[torch.tensor([0, 2])]
        x.index_select(0, torch.tensor([1]))
        x[torch.tensor([True, False, False, True])]

    assert 6 + 3 + 6 == counter.reads[x.data_ptr()]
