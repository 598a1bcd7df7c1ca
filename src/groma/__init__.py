"""groma surveys parallel computers."""

__version__ = "0.1.0"
