from collections.abc import Callable

import pytest

from groma.facts.hpcc import HpccFacts
from groma.record import Record
from suite_records import stream, suite_record

Make = Callable[..., Record[HpccFacts]]


@pytest.fixture
def made() -> Make:
    """Makes a record of STREAM from its samples by series."""
    return lambda series, **environment: suite_record(stream(series), **environment)
