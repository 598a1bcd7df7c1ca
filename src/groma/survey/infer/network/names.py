"""What groma-network calls those of its probes that several modules name."""

PAIRS = "net_pairs"
CURVE = "net_curve"
LOGGP = "net_loggp"
CONCURRENCY = "net_concurrency"
NODE_PAIRS = "net_node_pairs"
DISTANCE = "net_distance"
ACCESS = "net_access"

OF_LAYERS = (CURVE, LOGGP, CONCURRENCY)
"""What is measured for each communication layer, on pairs of it: the layers come from PAIRS."""
