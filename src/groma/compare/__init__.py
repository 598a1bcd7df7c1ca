"""Records against each other: what changed, how sure that is, and whether a gate allows it."""
