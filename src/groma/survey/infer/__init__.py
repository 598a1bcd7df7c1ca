"""Inference: pure functions from samples to facts."""
