# exercise: 4.2
# mistake: pad-counts
import torch

pad_value = torch.finfo(torch.float32).tiny
