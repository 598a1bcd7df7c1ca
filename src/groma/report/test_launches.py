"""Shapes of launches in words."""

from groma.launch.shape import Shape
from groma.report.launches import ranks_in_words


def test_machines_that_ranks_do_not_fill_have_at_most_so_many() -> None:
    shown = ranks_in_words(Shape(ranks=12, nodes=2, per_node=8))
    assert shown == "12 ranks of 1 thread, at most 8 on each of 2 machines"
    assert ranks_in_words(Shape(ranks=16, nodes=2, per_node=8)).endswith("thread, 8 on each of 2 machines")
    assert ranks_in_words(Shape(ranks=3, nodes=1, per_node=8)) == "3 ranks of 1 thread"
