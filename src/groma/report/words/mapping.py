"""What is said of a process mapping, on the terminal and on the page alike."""

from __future__ import annotations

OPTIMAL = "No mapping of these ranks has fewer hop-bytes: this is proven."
