"""The public path of the charts and drawings of lessons: notebook/charts, attention_drawing and reduction_drawing."""

from .notebook.attention_drawing import attention_tiles
from .notebook.charts import bandwidth, png, traffic
from .notebook.reduction_drawing import butterfly, tree, two_level

__all__ = ["attention_tiles", "bandwidth", "butterfly", "png", "traffic", "tree", "two_level"]
