"""Start programs and gather what they say."""
