"""What a survey of a machine of 256 NUMA nodes and 4,096 cores costs: its profile, its page, its inference.

    .venv/bin/python bench/large_machine.py --rounds 5    # or: make bench-large_machine ARGS="--rounds 5"

The machine is not there: the NUMA probes run on memory with recorded costs, the others are simulated
(tests/simulated/surveys.py). Both surveys have every probe; the second is over cores instead of nodes.
Inference is repeated on the finished samples, in CPU seconds of one thread.
It needs what `make test-native` builds.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))  # what tests share

from groma.survey.run import infer_facts
from simulated.surveys import Surveyed

WANTED = {"profile": 20e6, "page": 5e6, "inference": 10.0}


def inference_seconds(surveyed: Surveyed, rounds: int) -> list[float]:
    seconds = []
    for _ in range(rounds):
        begin = time.process_time()
        infer_facts(surveyed.record)
        seconds.append(time.process_time() - begin)
    return sorted(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=256)
    parser.add_argument("--cores", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5, help="of the inference")
    options = parser.parse_args()
    os.environ["GROMA_RECORDED_NODES"] = str(options.nodes)
    os.environ["GROMA_RECORDED_CORES"] = str(options.cores)
    print(
        f"wanted: profile {WANTED['profile'] / 1e6:.0f} MB, page {WANTED['page'] / 1e6:.0f} MB, "
        f"inference {WANTED['inference']:.0f} s"
    )
    for over in ("nodes", "cores"):
        with tempfile.TemporaryDirectory() as folder:
            surveyed = Surveyed(Path(folder), over=over)
            profile, page = surveyed.output.stat().st_size, len(surveyed.page())
            seconds = inference_seconds(surveyed, options.rounds)
        print(
            f"over {over:6} profile {profile / 1e6:5.2f} MB, page {page / 1e6:5.2f} MB, "
            f"inference {median(seconds):5.2f} s [{seconds[0]:.2f}, {seconds[-1]:.2f}]"
        )


if __name__ == "__main__":
    main()
