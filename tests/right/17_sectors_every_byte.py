# exercise: 17.1
import torch


def request_sectors(address, lanes, stride, itemsize):
    begins = address + torch.arange(lanes) * stride * itemsize
    bytes_of = begins[:, None] + torch.arange(itemsize)
    return len(set((bytes_of // 32).flatten().tolist()))
