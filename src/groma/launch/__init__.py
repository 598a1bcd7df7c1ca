"""Start programs and parse their output."""
