"""A comparison of records on the page."""
