"""Records over time: an index of them, trends, and where they changed."""
