"""RandomAccess over all ranks: its algorithms, mapping modes and costs."""
