"""A simulated torus on the page."""
