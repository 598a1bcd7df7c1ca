"""Machines with known caches, simulated: inference is made and judged on their curves."""
