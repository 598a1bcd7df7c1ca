"""What a reading of counters costs beside the bare read of perf, and what a region costs.

    .venv/bin/python bench/counters.py [--rounds 15] [--calls 20000] [--counters page-faults,task-clock]

A program in C++ opens a group of perf events by hand and a CounterSet with the same events, and times blocks
of readings of both in turns, so that slow phases of the machine meet both. The ratio is taken within each
turn; its median and quartiles are printed. Then an empty region is timed, without and with these counters.
The programs are compiled here against build/default, which `make native` builds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OBJECTS = ROOT / "build/default/native/CMakeFiles/groma_counters.dir/counters"
LIBRARY = ROOT / "build/default/native/profile"

READS = r"""
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include "counters/counter_set.hpp"
using namespace groma::counters;

int open_bare(const Event& event, int group) {
  perf_event_attr attributes{};
  attributes.size = sizeof(attributes);
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.read_format = PERF_FORMAT_GROUP;
  return static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, group, 0));
}

template <class Read>
double time_of(int calls, Read read) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < calls; ++i) read();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() / calls;
}

int main(int count, char** arguments) {
  const int rounds = std::atoi(arguments[1]);
  const int calls = std::atoi(arguments[2]);
  const std::vector<std::string_view> names(arguments + 3, arguments + count);
  std::string reason;
  int leader = -1;
  for (const auto name : names) {
    const auto event = find_event(name, this_system(), reason);
    const int opened = event ? open_bare(*event, leader) : -1;
    if (opened < 0) return std::perror("perf_event_open"), 4;
    if (leader < 0) leader = opened;
  }
  auto set = CounterSet::open(names, reason);
  if (!set) return std::fprintf(stderr, "%s\n", reason.c_str()), 4;
  std::vector<std::uint64_t> bare(1 + names.size());
  std::vector<std::uint64_t> values(names.size());
  const auto read_bare = [&] {
    if (read(leader, bare.data(), 8 * bare.size()) < 0) std::abort();
  };
  const auto read_set = [&] {
    if (!set->read(values)) std::abort();
  };
  for (int round = 0; round <= rounds; ++round) {
    const double before = time_of(calls, read_bare);
    const double ours = time_of(calls, read_set);
    const double after = time_of(calls, read_bare);
    if (round > 0) std::printf("%.3f %.3f\n", (before + after) / 2, ours);
  }
}
"""

REGIONS = r"""
#include <groma/counters.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}
int main(int count, char** arguments) {
  int round, i;
  const int calls = count > 1 ? atoi(arguments[1]) : 1000;
  for (round = 0; round < 11; ++round) {
    const double start = now();
    for (i = 0; i < calls; ++i) {
      groma_region_begin("rank loop 1");
      groma_region_end("rank loop 1");
    }
    if (round > 0) printf("%.3f\n", (now() - start) / calls);
  }
  return 0;
}
"""


def compiled(folder: Path, name: str, text: str, *options: object) -> Path:
    source = folder / name
    source.write_text(text)
    compiler = (
        ["c++", "-std=c++20"] if name.endswith("cpp") else ["cc", "-std=c99", "-D_POSIX_C_SOURCE=200809L"]
    )
    command = [*compiler, "-O2", f"-I{ROOT}/include", f"-I{ROOT}/native", source, *options]
    subprocess.run([*map(str, command), "-o", str(source.with_suffix(""))], check=True)
    return source.with_suffix("")


def lines_of(program: Path, *words: object, **variables: str) -> list[list[float]]:
    command = [str(program), *map(str, words)]
    done = subprocess.run(command, env=os.environ | variables, stdout=subprocess.PIPE, text=True, check=True)
    return [[float(part) for part in line.split()] for line in done.stdout.splitlines()]


def spread(values: list[float]) -> str:
    low, middle, high = statistics.quantiles(values, n=4)
    return f"{middle:.3g} (quartiles {low:.3g} to {high:.3g})"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--calls", type=int, default=20000)
    parser.add_argument("--counters", default="page-faults,task-clock")
    args = parser.parse_args()
    events = args.counters.split(",")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        parts = [OBJECTS / f"{name}.cpp.o" for name in ("counter_set", "event", "reason", "papi", "system")]
        reads = lines_of(compiled(folder, "reads.cpp", READS, *parts), args.rounds, args.calls, *events)
        link = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lgroma"]
        program = compiled(folder, "regions.c", REGIONS, *link)
        regions = [line[0] for line in lines_of(program, args.calls, GROMA_REGIONS=str(folder / "r.json"))]
        counting = {"GROMA_REGIONS": str(folder / "c.json"), "GROMA_COUNTERS": args.counters}
        counted = [line[0] for line in lines_of(program, args.calls, **counting)]
    sys.stdout.write(
        f"counters: {', '.join(events)}\n"
        f"bare read of perf, ns: {spread([bare for bare, _ in reads])}\n"
        f"CounterSet::read, ns:  {spread([ours for _, ours in reads])}\n"
        f"ratio in each turn:    {spread([ours / bare for bare, ours in reads])}\n"
        f"empty region, ns:      {spread(regions)}\n"
        f"the same, counted, ns: {spread(counted)}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
