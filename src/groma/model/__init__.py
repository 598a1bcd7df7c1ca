"""Performance models: what a machine would do, from its published numbers or from its profile."""
