"""Settings with their origins."""
