"""Files that make a launcher place ranks as a mapping says, and their readers."""
