"""Times of any zone stand in one order."""

from groma.record.moments import moment_of
from groma.record.record import UNKNOWN_TIME

IN_ORDER = (
    "2026-03-01T07:59:59.5Z",
    "2026-03-01T09:00:00+01:00",
    "2026-03-01T08:30:00",
    "2026-03-01T09:00:00+00:00",
    "2026-03-01T08:30:00-05:00",
)


def test_times_of_any_zone_are_in_the_order_of_time() -> None:
    assert sorted(set(IN_ORDER), key=moment_of) == list(IN_ORDER)


def test_a_time_that_nobody_can_read_stays_as_it_is() -> None:
    for time in (UNKNOWN_TIME, "", "0001-01-01T00:00:00+05:00"):
        assert moment_of(time) == time
