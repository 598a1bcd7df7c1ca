"""Traces of MPI programs: the tracer that is preloaded, the merge of what it wrote, and what a trace says."""
