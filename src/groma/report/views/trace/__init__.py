"""Traces of programs on the page."""
