"""Where a rank runs. Everything else in this room says it in these words."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """The hardware threads of one rank: `host` counts the hosts of the job from 0, `cores` are logical ids.

    The ids are those of `record.Topology` of that host; launchers that want the kernel's numbers get them
    from there, never from here. No core: the rank may run anywhere on its host.
    """

    host: int
    cores: tuple[int, ...] = ()
