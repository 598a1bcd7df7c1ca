"""What an application pays for its profile, and what it gains.

    .venv/bin/python bench/profile_api.py [--profile groma-profile.json] [--n 4096] [--rounds 7]

First the time of opening the profile and asking 100 getters of libgroma, the median of many runs in one
process. Then the rate of examples/transpose with the block that it takes from the profile, beside fixed
blocks: every round runs all of them once, in random order, and ratios are taken within a round. Programs are
compiled here with -O3 against build/default, which `make native` builds.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIBRARY = ROOT / "build/default/native/profile"
EXAMPLE = ROOT / "examples/transpose"
FIXED = (8, 16, 32, 64, 512)

OPENING = r"""
#define _POSIX_C_SOURCE 200809L
#include <groma/groma.h>
#include <stdio.h>
#include <time.h>
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}
int main(int count, char** arguments) {
  int run, i;
  for (run = 0; run < 101 && count > 1; ++run) {
    const double start = now();
    double opened;
    groma_profile* profile;
    groma_quantity found;
    if (groma_profile_open(arguments[1], &profile) != GROMA_OK) return 1;
    opened = now();
    for (i = 0; i < 25; ++i) {
      groma_cache_size(profile, 1 + i % 3, &found);
      groma_memory_bandwidth(profile, "triad", 1 + i % 2, &found);
      groma_core_to_core_latency(profile, 0, 1 + i % 2, &found);
      groma_layer_time(profile, 0, 1000 * (size_t)i, &found);
    }
    printf("%.9f %.9f\n", opened - start, now() - opened);
    groma_profile_close(profile);
  }
  return 0;
}
"""


def compiled(folder: Path, name: str, sources: list[Path]) -> Path:
    program = folder / name
    options = ["-O3", f"-I{ROOT / 'include'}", f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}"]
    subprocess.run(["cc", *options, *sources, "-lgroma", "-lm", "-o", program], check=True)
    return program


def printed(*command: object, **variables: str) -> str:
    words = [str(word) for word in command]
    return subprocess.run(
        words, env=os.environ | variables, check=True, capture_output=True, text=True
    ).stdout


def show_opening(folder: Path, profile: Path) -> None:
    source = folder / "opening.c"
    source.write_text(OPENING)
    lines = printed(compiled(folder, "opening", [source]), profile).splitlines()
    opening, asking = zip(*(map(float, line.split()) for line in lines), strict=True)
    total = statistics.median(map(sum, zip(opening, asking, strict=True)))
    print(f"{profile.name} ({profile.stat().st_size / 1e3:.0f} kB)")
    print(f"  open                  {statistics.median(opening) * 1e3:8.3f} ms")
    print(f"  100 getters           {statistics.median(asking) * 1e3:8.3f} ms")
    print(f"  both                  {total * 1e3:8.3f} ms (limit: 5 ms)")


def rate(program: Path, profile: Path, n: int, block: int | None) -> tuple[str, float]:
    given = [] if block is None else [block]
    said = printed(program, n, *given, GROMA_PROFILE=str(profile))
    return said.rsplit(",", 1)[0], float(said.rsplit(",", 1)[1].split()[0])


def show_transpose(folder: Path, args: argparse.Namespace) -> None:
    program = compiled(folder, "transpose", sorted(EXAMPLE.glob("*.c")))
    rates: dict[int | None, list[float]] = {block: [] for block in (None, *FIXED)}
    chosen = ""
    for _ in range(args.rounds):
        for block in random.sample(list(rates), len(rates)):
            said, found = rate(program, args.profile, args.n, block)
            rates[block].append(found)
            chosen = said if block is None else chosen
    print(f"transpose {args.n} x {args.n}: {chosen}")
    for block in FIXED:
        gains = [mine / its for mine, its in zip(rates[None], rates[block], strict=True)]
        spread = f"{min(gains):.2f} to {max(gains):.2f}"
        print(f"  beside block {block:4}     {statistics.median(gains):8.2f} x faster ({spread})")


def main() -> int:
    parser = argparse.ArgumentParser(description="Cost of libgroma, and gain of an example.")
    parser.add_argument("--profile", type=Path, default=Path("groma-profile.json"))
    parser.add_argument("--n", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    args.profile = args.profile.resolve()
    with tempfile.TemporaryDirectory() as folder:
        show_opening(Path(folder), args.profile)
        show_transpose(Path(folder), args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
