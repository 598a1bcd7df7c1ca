"""What the page shows of every record."""
