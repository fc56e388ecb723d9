"""Runs an answer's cross_entropy and its kernels: a text that joins the answer, with functions for cases to call."""

import torch


def check_in_place(x, target, lse, scale, ignore, block):
    """The logits after the gradient kernel has stored the gradient in their place."""
    import answer

    kernel, stride = answer.cross_entropy_gradient_kernel, x.stride(0)
    kernel[(len(x),)](x, x, target, lse, scale, stride, stride, x.shape[1], ignore, BLOCK=block)
    return x


def check_loss(x, target, *ignore):
    """The loss, without a graph."""
    import answer

    return answer.cross_entropy(x, target, *ignore)


def check_gradient(x, target, dloss, *ignore):
    """The gradient of the loss with respect to x, where dloss arrives."""
    import answer

    loss = answer.cross_entropy(x.requires_grad_(), target, *ignore)
    return torch.autograd.grad(loss, x, dloss, allow_unused=True)[0]


def check_first_gradient(x, target, other, dloss):
    """The gradient of a first loss, when there was a loss of other targets before its backward."""
    import answer

    loss = answer.cross_entropy(x.requires_grad_(), target)
    answer.cross_entropy(x.detach(), other)
    return torch.autograd.grad(loss, x, dloss, allow_unused=True)[0]


def check_budget(x, target, dloss):
    """What the answer says that a forward and a backward pass of a matrix like x may move, after both have run."""
    import answer

    loss = answer.cross_entropy(x.requires_grad_(), target)
    torch.autograd.grad(loss, x, dloss, allow_unused=True)
    return answer.budget(*x.shape)
