"""Beds for tests; all of them are skipped, with the kernel's reason, where none can be started."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from groma.host.host import Host
from groma.testbed.namespace_shell import probe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groma.testbed.bed import Bed

ROOT = Path(__file__).parents[2]

# The first megabyte fills the buckets and opens the window; the rate is that of the rest.
_RECEIVE = """
import socket, time
listener = socket.create_server(("", 5000))
print("ready", flush=True)
peer, _ = listener.accept()
count = 0
while data := peer.recv(1 << 16):
    count += len(data)
    if count <= 1 << 20:
        counted, started = count, time.monotonic()
print(8 * (count - counted) / (time.monotonic() - started))
"""

_SEND = """
import socket, sys
socket.create_connection((sys.argv[1], 5000)).sendall(bytes(int(sys.argv[2])))
"""


@pytest.fixture(autouse=True, scope="session")
def _bed_can_be_started() -> None:
    support = probe(Host())
    if support.method is None:
        pytest.skip(f"no test bed can be started here: {support.reason}")


@pytest.fixture(autouse=True)
def _one_bed_at_a_time(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Beds beside each other take each other's processor time: workers of one run take turns."""
    shared = tmp_path_factory.getbasetemp().parent / "testbed.lock"
    with shared.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def bed_environment() -> dict[str, str]:
    """What `groma testbed run` needs of a test."""
    return os.environ | {"PYTHONPATH": str(ROOT / "src")}


@pytest.fixture
def in_bed(bed_environment: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `groma testbed run` with these words and variables and keeps what it says."""

    def run(
        *words: str, prefix: tuple[str, ...] = (), stdin: int | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*prefix, sys.executable, "-m", "groma", "testbed", "run", *words],
            stdin=stdin,
            env=bed_environment | variables,
            capture_output=True,
            text=True,
            timeout=150,
            check=False,
        )

    return run


@pytest.fixture
def assert_rate() -> Callable[[Bed, str, str, int, float], None]:
    """Sends bytes over a socket between two hosts of a bed, and asserts the rate of the payload in bit/s.

    Nothing is faster than its cables, but a lost packet or a busy machine slows a transfer. A slow transfer
    is therefore repeated, a limited number of times, and the fastest one counts.
    """

    def check(bed: Bed, source: str, target: str, size: int, expected: float) -> None:
        fastest = 0.0
        for _ in range(10):
            fastest = max(fastest, once(bed, source, target, size))
            if fastest > 0.75 * expected:
                break
        assert fastest == pytest.approx(expected, rel=0.25)

    def once(bed: Bed, source: str, target: str, size: int) -> float:
        words = [sys.executable, "-c", _RECEIVE]
        with bed.popen(words, target, stdout=subprocess.PIPE, text=True) as receiver:
            assert receiver.stdout is not None
            assert receiver.stdout.readline() == "ready\n"
            with bed.popen([sys.executable, "-c", _SEND, target, str(size)], source):
                return float(receiver.stdout.read())

    return check
