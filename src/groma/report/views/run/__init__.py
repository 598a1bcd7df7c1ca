"""What the page shows of every run over ranks."""
