"""The public path of what lessons draw: see notebook/charts.py and notebook/hierarchy.py."""

from .notebook.charts import bandwidth, png, traffic
from .notebook.hierarchy import hierarchy

__all__ = ["bandwidth", "hierarchy", "png", "traffic"]
