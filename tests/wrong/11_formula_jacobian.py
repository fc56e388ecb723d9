# exercise: 11.1
# mistake: jacobian-made
import torch


def softmax_backward(y, dy):
    jacobians = torch.diag_embed(y) - y[:, :, None] * y[:, None, :]
    return torch.einsum("ri,rij->rj", dy, jacobians)
