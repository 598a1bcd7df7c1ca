"""What a terminal shows of each kind of record: one module per kind, which its descriptor in facts/ names."""
