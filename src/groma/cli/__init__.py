"""The command line: parse, call, render."""

from groma.cli.starting import protect_start

protect_start()
