"""Surveys of a node and of a network: plan, run, infer, and several as one."""
