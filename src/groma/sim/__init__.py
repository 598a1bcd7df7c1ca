"""Simulators of what a machine would do."""
