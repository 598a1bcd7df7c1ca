"""Render records: terminal and page."""
