"""The public path of the charts that lessons draw: see notebook/charts.py."""

from .notebook.charts import bandwidth, png, traffic

__all__ = ["bandwidth", "png", "traffic"]
