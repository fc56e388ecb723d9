# exercise: 4.2
# mistake: pad-finite
import torch

pad_value = torch.finfo(torch.float32).min
