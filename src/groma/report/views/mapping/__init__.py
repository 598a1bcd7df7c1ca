"""The page of a process mapping."""
