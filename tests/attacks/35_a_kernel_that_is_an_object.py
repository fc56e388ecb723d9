# exercise: 3.1
# No kernel, but an object that can be launched.

class Kernel:
    def __getitem__(self, grid):
        def launch(y, x, n, BLOCK):
            y.copy_(x)

        return launch


copy_kernel = Kernel()
