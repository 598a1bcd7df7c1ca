"""What the page shows of RandomAccess."""
