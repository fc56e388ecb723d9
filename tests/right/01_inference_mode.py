# exercise: 1.1
import torch as th


@th.inference_mode()
def naive_softmax(x):
    with th.autocast("cpu", enabled=False):
        top = th.max(x, dim=1)[0][:, None]
        diff = th.sub(x, top)
        e = th.exp(diff)
        s = th.sum(e, dim=1).unsqueeze(1)
        return th.true_divide(e, s)
