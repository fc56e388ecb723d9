"""CUDA C++ kernels: compiled by g++ and run on the CPU with every access watched; on a GPU through CuPy as well."""
