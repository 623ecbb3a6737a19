"""`python -m tracemill` is the same as `tracemill`."""

from tracemill.cli import main

main()
