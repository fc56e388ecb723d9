# exercise: 8.1
import torch


def online_normalizer(xs):
    state = torch.tensor([-torch.inf, 0.0], dtype=torch.float64)
    for x in xs:
        m = torch.maximum(state[0], torch.tensor(x, dtype=torch.float64))
        old = state[1] * torch.exp(state[0] - m) if state[1] > 0 else 0.0
        term = torch.exp(x - m) if m > -torch.inf else 0.0
        state = torch.stack([m, torch.as_tensor(old + term, dtype=torch.float64)])
    return state[0].item(), state[1].item()
