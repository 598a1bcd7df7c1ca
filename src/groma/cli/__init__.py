"""The command line: parse, call, render."""

from groma.cli.ending import protect_start

protect_start()
