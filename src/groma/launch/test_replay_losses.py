"""The remark of a time-independent trace."""

from __future__ import annotations

import pytest

from groma.launch.replay_losses import Losses, losses_in


def test_the_last_line_says_what_is_left_out() -> None:
    assert losses_in(b'0 init\n0 finalize\n#{"other_calls":2,"cut":1}\n') == Losses(other_calls=2, cut=1)


@pytest.mark.parametrize(
    "end",
    [b"", b"\n", b"0 finalize\n", b"#{}\n0 finalize\n", b"# made by hand\n", b"#[1]", b'#{"cut":"\xff"}'],
)
def test_other_texts_leave_nothing_out(end: bytes) -> None:
    assert losses_in(end) == Losses()
