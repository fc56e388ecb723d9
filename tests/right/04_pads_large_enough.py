# exercise: 4.2
import torch

pads = dict(zip("abcd", (-0.0, torch.inf, 1000, None)))
