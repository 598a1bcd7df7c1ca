"""The node survey: plan, run, infer."""
