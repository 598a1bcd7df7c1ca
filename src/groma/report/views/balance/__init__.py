"""Views of the balance of systems."""
