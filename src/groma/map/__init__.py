"""Process mapping: which rank runs where, by which measure that is better, the files that launchers read."""
