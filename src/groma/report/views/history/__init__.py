"""The history of quantities on the page."""
