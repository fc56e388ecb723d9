"""The public path of drawings in lessons: charts, hierarchy, kernel_steps, attention_drawing, reduction_drawing."""

from .notebook.attention_drawing import attention_tiles
from .notebook.charts import bandwidth, png, traffic
from .notebook.hierarchy import hierarchy
from .notebook.kernel_steps import steps
from .notebook.reduction_drawing import butterfly, tree, two_level

__all__ = ["attention_tiles", "bandwidth", "butterfly", "hierarchy", "png", "steps", "traffic", "tree", "two_level"]
