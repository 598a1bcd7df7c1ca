"""Interconnects between nodes: their shapes, routes, link loads and fair shares.

Nothing here measures or reads a record. What lies inside a node is `record.Topology`.
"""
