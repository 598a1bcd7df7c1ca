"""Machines as papers describe them: TOML files in which each number has its unit and its source."""
