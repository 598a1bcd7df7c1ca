"""What the operating system reports about this machine. Nothing here is measured."""
