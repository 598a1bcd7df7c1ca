"""What the page shows of a node."""
