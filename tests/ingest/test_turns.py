"""The store is given back so that other processes have their turn with it."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tracemill.errors import StoreLockedError
from tracemill.ingest.options import FollowOptions
from tracemill.ingest.store import Store
from tracemill.ingest.turns import Turns

HOLD = """
import sys
from pathlib import Path
from tracemill.ingest.store import Store
with Store(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def held_by_another(path: Path) -> Iterator["subprocess.Popen[str]"]:
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other
        assert other.stdin is not None
        other.stdin.close()


def test_another_process_can_open_what_was_given_and_what_was_committed_is_there(
    store: Store,
) -> None:
    turns = Turns(store, FollowOptions(gap_seconds=0), lambda: False)
    store.execute("INSERT INTO offsets VALUES ('t', 0, 7)")

    turns.give()
    with held_by_another(store.path):
        assert not turns.is_held
    turns.take()

    assert store.execute("SELECT next_offset FROM offsets") == [(7,)]


def test_it_waits_for_whoever_has_the_store_and_for_the_gap(store: Store) -> None:
    turns = Turns(store, FollowOptions(gap_seconds=0.3), lambda: False)
    turns.give()
    given = time.monotonic()

    turns.take()

    assert time.monotonic() - given >= 0.3
    assert turns.is_held


def test_a_worker_that_is_told_to_stop_does_not_wait_for_the_store(store: Store) -> None:
    turns = Turns(store, FollowOptions(gap_seconds=0), lambda: True)
    turns.give()

    with held_by_another(store.path), pytest.raises(StoreLockedError):
        turns.take()


def test_a_turn_is_over_when_others_have_waited_for_long_enough(store: Store) -> None:
    assert Turns(store, FollowOptions(hold_seconds=0), lambda: False).is_over
    assert not Turns(store, FollowOptions(hold_seconds=60), lambda: False).is_over


def test_the_store_can_be_waited_for(store: Store) -> None:
    store.close()
    with held_by_another(store.path):
        began = time.monotonic()
        with pytest.raises(StoreLockedError):
            store.reopen(wait_seconds=0.4)
        assert time.monotonic() - began >= 0.4
    store.reopen(wait_seconds=20)
