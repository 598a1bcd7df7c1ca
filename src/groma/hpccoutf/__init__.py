"""hpccoutf.txt, the output format of the HPC Challenge suite: its keys, its runs, its main values."""
