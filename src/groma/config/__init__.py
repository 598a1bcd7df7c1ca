"""Settings with their origins."""

from __future__ import annotations

from groma.config.layers import ConfigSources, Origin, Resolved, load_resolved
from groma.config.settings import Settings

__all__ = ["ConfigSources", "Origin", "Resolved", "Settings", "load_resolved"]
