# A module, and pieces of torch.nn.functional.
import torch


class Softmax(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.normalize(torch.exp(x - x.amax(1, keepdim=True)), p=1.0, dim=1)


softmax = Softmax()


@torch.inference_mode()
def fused_softmax(x):
    return softmax(x)
