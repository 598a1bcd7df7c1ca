"""Views of studies of the torus simulator."""
