"""What the page shows of the network of a survey."""
