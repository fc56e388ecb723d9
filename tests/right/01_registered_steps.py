# exercise: 1.1
import torch
STEPS = {}
def register(name):
    def keep(f):
        STEPS[name] = f
        return f
    return keep

@register("max")
def _max(x):
    return x.amax(dim=1, keepdim=True)

@register("exp")
def _exp(x):
    return x.exp()

@register("sum")
def _sum(x):
    return x.sum(dim=1, keepdim=True)

def naive_softmax(x):
    e = STEPS["exp"](x - STEPS["max"](x))
    return e / STEPS["sum"](e)
