"""The HPC Challenge suite: start it, parse its output, derive facts from it."""
