"""The torus simulator: requests to groma-torus, and what follows from its results."""
