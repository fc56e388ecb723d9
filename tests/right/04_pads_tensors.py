# exercise: 4.2
import torch

pads = {"a": torch.zeros(()), "b": torch.tensor(float("inf")), "c": torch.tensor(200.0)}
pads["d"] = None
