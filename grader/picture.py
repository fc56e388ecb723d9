"""The public path of `Picture`, which lessons import: see notebook/picture.py."""

from .notebook.picture import Picture

__all__ = ["Picture"]
