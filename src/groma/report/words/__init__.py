"""How things are put into words, on the terminal and on the page alike."""
