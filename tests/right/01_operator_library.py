# exercise: 1.1
import torch
lib = torch.library.Library("own", "DEF")
lib.define("row_max(Tensor x) -> Tensor")

@torch.library.impl(lib, "row_max", "CompositeExplicitAutograd")
def row_max(x):
    return x.amax(dim=1, keepdim=True)

def naive_softmax(x):
    e = (x - torch.ops.own.row_max(x)).exp()
    return e / e.sum(dim=1, keepdim=True)
