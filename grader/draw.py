"""The public path of what lessons draw: notebook/charts, hierarchy, attention_drawing and reduction_drawing."""

from .notebook.attention_drawing import attention_tiles
from .notebook.charts import bandwidth, png, traffic
from .notebook.hierarchy import hierarchy
from .notebook.reduction_drawing import butterfly, tree, two_level

__all__ = ["attention_tiles", "bandwidth", "butterfly", "hierarchy", "png", "traffic", "tree", "two_level"]
