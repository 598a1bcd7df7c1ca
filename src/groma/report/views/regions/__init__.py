"""Views of the regions of a program."""
