# noqa: INP001 - a script
"""Runs Python programs in forks of this process, which has groma imported: that takes longer than most.

Each line of the input is an order, `{"words": ["-m", "groma", ...], "output": "FILE"}`: the words are those
that python takes, and what the program prints goes to the file. Each line of the output is the exit code of
an order.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import pkgutil
import runpy
import sys
from pathlib import Path

ROOMS = ("groma.facts", "groma.report")
VERBS = ("balance", "compare", "history", "report")


def import_groma() -> None:
    """What pages are made of; everything else is imported by the fork that needs it."""
    for name in ROOMS:
        room = importlib.import_module(name)
        for module in pkgutil.walk_packages(room.__path__, f"{name}."):
            if not module.name.rpartition(".")[2].startswith("test_"):
                importlib.import_module(module.name)
    for verb in VERBS:
        importlib.import_module(f"groma.cli.{verb}")


def run(words: list[str]) -> None:
    """As `python WORD…` does."""
    if words[0] == "-m":
        sys.argv = words[1:]
        runpy.run_module(words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = words
        sys.path.insert(0, str(Path(words[0]).parent))
        runpy.run_path(words[0], run_name="__main__")


def fork(words: list[str], output: str) -> int:
    """The exit status of a program."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return os.waitstatus_to_exitcode(status)
    nothing = os.open(os.devnull, os.O_RDONLY)
    file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    os.dup2(nothing, sys.stdin.fileno())
    os.dup2(file, sys.stdout.fileno())
    run(words)
    sys.exit()


def main() -> None:
    import_groma()
    gc.freeze()  # so that forks share what is there
    for line in sys.stdin:
        order = json.loads(line)
        print(fork(**order), flush=True)


if __name__ == "__main__":
    main()
