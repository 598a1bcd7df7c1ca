"""Profiles in the formats of other programs."""
