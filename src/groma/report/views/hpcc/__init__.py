"""What the page shows of a run of the HPC Challenge suite."""
