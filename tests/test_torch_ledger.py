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

    assert counter.ledger.storages.peak == 18


def test_the_ledger_knows_how_often_a_tensor_is_read():
    """By way of any view of it."""
    x, counter = torch.ones(4, 3), TorchLedger(Ledger())
    with counter:
        x[:2] @ x.T
        x.exp()

    assert 6 + 12 + 12 == counter.reads[counter.ledger.storages.hold(x)]


def test_rows_taken_by_their_numbers_are_counted_as_rows():
    """Whoever says which, by numbers or by a mask, reads no others."""
    x, counter = torch.ones(4, 3), TorchLedger(Ledger())
    with counter:
        x[torch.tensor([0, 2])]
        x.index_select(0, torch.tensor([1]))
        x[torch.tensor([True, False, False, True])]

    assert 6 + 3 + 6 == counter.reads[counter.ledger.storages.hold(x)]


def test_bits_of_numbers_stay_numbers():
    """Sorted as integers, copied as conditions, or in an output that PyTorch had to enlarge."""
    x = torch.ones(8, 16)
    for copied in (
        lambda: x.view(torch.int32)[..., None].sort(dim=2).values,
        lambda: torch.cat([x.view(torch.bool)]),
        lambda: torch.neg(x, out=torch.empty(0)).view(torch.int32),
    ):
        ledger = Ledger()
        ledger.storages.hold(x)
        with TorchLedger(ledger):
            copied().view(-1).clone()

        assert 2 * x.numel() <= min(ledger.totals())


def test_what_an_allocation_writes_over_stays_a_tensor_of_numbers():
    """An allocation with out= allocates nothing."""
    x, ledger = torch.ones(8, 16), Ledger()
    ledger.storages.hold(x)
    with TorchLedger(ledger):
        torch.ops.aten.empty_like.out(torch.empty(0), out=x.view(torch.bool)[:0])
        x.view(torch.int32).clone()

    assert x.numel() == ledger.totals()[0]
