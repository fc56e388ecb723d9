# tries: to replace torch.compile and torch.softmax, so that the peers are slow or absent
# in its way: peers run in the other process, from the course's text
# outcome: no gain
import time

import torch

torch.compile = lambda *args, **kwargs: lambda x: x
torch.softmax = torch.Tensor.softmax = lambda *args, **kwargs: time.sleep(1)
