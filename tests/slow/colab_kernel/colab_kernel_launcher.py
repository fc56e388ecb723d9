"""Starts a kernel as Colab does: its own class of kernel, and google.colab as an extension of IPython."""

from google.colab._shell import Kernel
from ipykernel.kernelapp import IPKernelApp

if __name__ == "__main__":
    IPKernelApp.launch_instance(kernel_class=Kernel, extensions=["google.colab"])
