# exercise: 13.1
# mistake: library-softmax
import torch


def tiled_attention(q, k, v, tile):
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None])[0]
