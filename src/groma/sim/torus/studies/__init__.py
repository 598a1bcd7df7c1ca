"""Studies of the torus simulator: runs whose outcome is known. A module of this room registers itself."""
