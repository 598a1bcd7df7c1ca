"""The HPC Challenge suite: start it, gather what it says, make facts of it."""
