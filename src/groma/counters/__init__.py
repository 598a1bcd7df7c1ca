"""Counters of this machine, and regions of Python programs.

from groma.counters import region, value

with region("rank loop 1"):
    value("iteration", 7)
"""

from groma.counters.regions import region, value

__all__ = ["region", "value"]
