"""A stand-in for Colab's own package: what it does to IPython, without what needs Google."""

from google.colab import _shell


def load_ipython_extension(shell):
    shell.set_custom_exc((ImportError,), _shell.on_import_error)
