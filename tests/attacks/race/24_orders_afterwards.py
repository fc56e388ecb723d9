# tries: to give orders from a thread, while the clock runs
# in its way: orders are read during a call alone, and none of them reaches a replay
# outcome: no gain, or refused
import threading
import time

import torch

honest = fused_softmax


def later(x):
    time.sleep(0.05)
    torch.exp(x)


def fused_softmax(x):
    threading.Thread(target=later, args=(x,), daemon=True).start()
    return honest(x)
