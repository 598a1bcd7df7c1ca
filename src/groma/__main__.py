"""`python -m groma` is the command `groma`."""

from groma.cli.main import main

main()
