# exercise: 2.5
import torch


def naive_traffic(m, n):
    return 5 * m * n + 2 * m, 3 * m * n + 2 * m


def floor_time(m, n, itemsize, bandwidth):
    return 2 * m * n * itemsize / bandwidth


myths = {
    "a": False,
    "b": torch.tensor(abs(2 * 4096 * 2048 * 4 / 0.0379e-3 / 1e9 - 2656) < 1),
    "c": floor_time(8, 8, 4, 2.0) * 2 == floor_time(8, 8, 4, 1.0),
    "d": 5 / 32 * 320e9 > 8.1e12,
    "e": floor_time(8, 8, 2, 1.0) * 2 == floor_time(8, 8, 4, 1.0),
    "f": naive_traffic(8, 8)[0] == 7 * 8 * 8,
}
