"""What the page shows, one folder for each kind of record."""
