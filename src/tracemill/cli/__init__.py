"""The command line. Exit codes: 0 done, 1 refused or failed with one sentence, 2 usage."""

from tracemill.cli.app import main

__all__ = ["main"]
