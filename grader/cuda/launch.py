"""The public path of `launch`, which lesson 12 imports: see notebook/cuda_launch.py."""

from ..notebook.cuda_launch import launch

__all__ = ["launch"]
