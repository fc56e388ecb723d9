"""Runs an answer's Softmax forwards and backwards: a text that joins the answer, with functions for cases to call."""

import torch


class _Answers:
    """The answer's Softmax, which is loaded after this text."""

    @staticmethod
    def apply(*args):
        import answer

        return answer.Softmax.apply(*args)


Softmax = _Answers


def check_forward(x):
    """The output, without a graph."""
    return Softmax.apply(x)


def check_gradient(x, dy):
    """The gradient as backward returns it, None included; adding it up in x.grad might be one more operation."""
    y = Softmax.apply(x.requires_grad_())
    return torch.autograd.grad(y, x, dy, allow_unused=True)[0]


def check_second_gradient(x, dy):
    """The gradient that a second run of the same backward returns."""
    y = Softmax.apply(x.requires_grad_())
    torch.autograd.grad(y, x, dy, retain_graph=True, allow_unused=True)
    return torch.autograd.grad(y, x, dy, allow_unused=True)[0]


def check_output_after(x, dy):
    """The output as it is after backward."""
    y = Softmax.apply(x.requires_grad_())
    torch.autograd.grad(y, x, dy, allow_unused=True)
    return y


def check_first_of_two(x, dy):
    """The gradient of a first output, when there was a second forward in between."""
    y = Softmax.apply(x.requires_grad_())
    Softmax.apply((-x).detach().requires_grad_())
    return torch.autograd.grad(y, x, dy, allow_unused=True)[0]


def check_first_output(x, other):
    """The output for x, as it is after a second forward with `other`."""
    y = Softmax.apply(x)
    Softmax.apply(other)
    return y


def check_first_gradient(x, dy):
    """The gradient of a first output, as it is after a second forward and backward."""
    dx = check_gradient(x, dy)
    check_gradient((-x).detach(), dy)
    return dx


def check_changed_output(x, dy):
    """The gradient after somebody changed the output in place. PyTorch raises an error if it can know."""
    y = Softmax.apply(x.requires_grad_())
    with torch.no_grad():
        y.mul_(2)
    return torch.autograd.grad(y, x, dy, allow_unused=True)[0]


def check_kept(x):
    """What waits for backward: for each tensor how it was kept, what it is, and its bytes."""
    kept = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(("saved", t)) or t, lambda t: t):
        y = Softmax.apply(x.requires_grad_())
    for value in vars(y.grad_fn).values():
        several = value if isinstance(value, (tuple, list)) else [value]
        kept += [("attribute", t) for t in several if isinstance(t, torch.Tensor)]
    known = {"x": x, "y": y}
    return [
        (how, next((k for k, v in known.items() if t.shape == v.shape and torch.equal(t, v)), "other"), t.nbytes)
        for how, t in kept
    ]
