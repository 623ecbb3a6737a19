import pytest
from prefect import flow

from tracemill.errors import StoreLockedError, TracemillError
from tracemill.flows.retrying import named_task


def test_a_step_that_finds_the_store_in_use_is_tried_again() -> None:
    tries = []

    @flow
    def night() -> str:
        def read() -> str:
            tries.append(1)
            if len(tries) < 3:
                raise StoreLockedError("another process holds it")
            return "read"

        return named_task("read")(read).with_options(retry_delay_seconds=0)()

    assert night() == "read"
    assert len(tries) == 3


def test_a_step_that_fails_by_itself_fails_at_once() -> None:
    tries = []

    @flow
    def night() -> None:
        def judge() -> None:
            tries.append(1)
            raise TracemillError("nonsense")

        named_task("judge")(judge)()

    with pytest.raises(TracemillError, match="nonsense"):
        night()
    assert len(tries) == 1
