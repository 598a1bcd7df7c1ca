"""Native tests that the thread sanitizer leaves out (native/testing/one_thread.hpp) start no threads."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from installed import must
from mpis import AS_ANYBODY, mpis

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "native"
OF_MPI = next(iter(mpis()), "no MPI")
PROGRAMS = [
    "default/native/groma-native-tests",
    f"{OF_MPI}/native/groma-hpcc-tests",
    f"{OF_MPI}/native/groma-mpi-tests",
]

# Preloaded: it says so between the lines of GoogleTest.
COUNTER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

int pthread_create(pthread_t* id, const pthread_attr_t* how, void* (*work)(void*), void* with) {
  int (*create)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      dlsym(RTLD_NEXT, "pthread_create");
  return write(1, "\n[ THREAD ]\n", 12) == 12 ? create(id, how, work, with) : -1;
}
"""


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source = tmp_path_factory.mktemp("counter") / "counter.c"
    source.write_text(COUNTER)
    library = source.with_suffix(".so")
    must("cc", "-shared", "-fPIC", source, "-o", library, "-ldl")
    return library


def threads_of(program: str, filtered: str, counter: Path) -> Counter[str]:
    """How many threads each of the tests starts that run."""
    file = ROOT / "build" / program
    if not file.is_file():
        pytest.skip(f"{program} is not built")
    preloaded = ":".join(filter(None, [str(counter), os.environ.get("LD_PRELOAD")]))
    done = subprocess.run(
        [file, "--gtest_color=no", f"--gtest_filter={filtered}"],
        env=os.environ | AS_ANYBODY | {"LD_PRELOAD": preloaded, "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=200,
        check=True,
    )
    of_test: Counter[str] = Counter()
    test = ""
    for line in done.stdout.splitlines():
        if match := re.match(r"\[ RUN +\] (\S+)", line):
            test = match[1]
            of_test[test] = 0
        elif line.startswith("[ THREAD ]") and test:
            of_test[test] += 1
    return of_test


def on_one_thread() -> str:
    """A filter for the tests of all files that say so, but for those with parameters, which take seconds.

    A file that starts a thread by itself says why it may.
    """
    tests = set()
    for file in NATIVE.rglob("*_test.cpp"):
        text = file.read_text()
        if "\nALL_ON_ONE_THREAD;" in text and "std::thread " not in text:
            tests |= set(re.findall(r"\bTEST(?:_F)?\((\w+),\s*(\w+)\)", text))
    return ":".join(f"*{suite}.{name}*" for suite, name in sorted(tests))


@pytest.mark.parametrize("program", PROGRAMS)
def test_what_the_thread_sanitizer_leaves_out_starts_no_threads(program: str, counter: Path) -> None:
    started = threads_of(program, on_one_thread(), counter)
    assert len(started) > 30
    assert +started == {}


def test_a_test_of_threads_is_seen_to_start_them(counter: Path) -> None:
    started = threads_of(PROGRAMS[0], "ThreadPool*:SpscQueue.LosesNothing*:Team*", counter)
    assert +started
