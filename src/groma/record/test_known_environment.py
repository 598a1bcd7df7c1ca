from __future__ import annotations

import msgspec
import pytest

from groma.record.environment import Cpu, DeclaredCache, Environment, Scheduler
from groma.record.known_environment import known_environment


def test_a_sound_environment_is_known_in_full() -> None:
    whole = Environment(
        host="node1",
        cpu=Cpu(model="X", cores=4),
        caches=(DeclaredCache(level=1, kind="data"),),
        scheduler=Scheduler(name="slurm", job="7"),
        variables={"OMP_NUM_THREADS": "2"},
    )
    assert known_environment(msgspec.to_builtins(whole)) == whole
    assert known_environment({}) == Environment()


@pytest.mark.parametrize("damaged", ["x", 3, None, [], ["model"], True])
def test_a_damaged_part_takes_no_other_with_it(damaged: object) -> None:
    known = known_environment({"host": "node1", "cpu": damaged, "caches": damaged, "numa": [damaged]})
    assert known == Environment(host="node1")
    assert known_environment(damaged) == Environment()


def test_a_damaged_field_of_a_part_takes_no_other_with_it() -> None:
    known = known_environment({"host": {"a": 1}, "cpu": {"model": "X", "cores": "many", "more": 1}})
    assert (known.host, known.cpu) == (None, Cpu(model="X"))
