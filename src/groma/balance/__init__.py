"""Balance of systems: what each delivers of every test for what it delivers of HPL."""
