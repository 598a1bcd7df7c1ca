"""What tests of traces share."""

from __future__ import annotations

import pytest

from mpis import mpis
from traced import Programs


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """Programs of each MPI that is here."""
    if request.param not in mpis():
        pytest.skip(f"no {request.param} here")
    return Programs(request.param, mpis()[request.param], tmp_path_factory.mktemp("programs"))
