"""The survey of a network: which launches it takes, and running them."""
