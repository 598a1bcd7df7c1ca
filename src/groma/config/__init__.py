"""Settings with their origins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groma.config.layers import ConfigSources, Origin, Resolved, load_resolved
from groma.config.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ConfigSources", "Origin", "Resolved", "Settings", "load_resolved", "load_settings"]


def load_settings(overrides: Mapping[str, Any] | None = None) -> Settings:
    """The settings in force. Raises GromaError (exit code 2) for an unknown key or a wrong value."""
    return load_resolved(overrides).settings
