from collections.abc import Sequence

import pytest

from tests.evaluation.cards import CHAMPION, suite_of
from tracemill.curation.chat import ChatRequest, Completion
from tracemill.errors import EmptySuiteError
from tracemill.evaluation.evaluate import evaluate
from tracemill.evaluation.suite import Suite
from tracemill.ingest.trace import Message, ModelRef


class Parrot:
    """Says "done" to requests whose text holds its word; meets an outage at `broken`."""

    ref = ModelRef(name="desk", version="1")

    def __init__(self, word: str, *, broken: str = "-") -> None:
        self.word, self.broken = word, broken

    def complete(
        self, requests: Sequence[ChatRequest], *, seed: int, temperature: float, max_tokens: int
    ) -> tuple[Completion, ...]:
        return tuple(self._answer(str(request.messages[-1].content)) for request in requests)

    def _answer(self, text: str) -> Completion:
        if self.broken in text.split():
            return Completion(None, "error", 0, 0, 0.0, error="503 Service Unavailable")
        said = "done" if self.word in text else "no idea"
        return Completion(Message(role="assistant", content=said), "stop", 3, 1, 0.0)


SUITE = suite_of({"refund_order": 40, "convert": 40})


def test_every_task_is_tried_once_with_each_seed() -> None:
    scorecard = evaluate(Parrot("refund"), SUITE, seeds=(0, 7))

    tried = [(rollout.seed, rollout.task_id) for rollout in scorecard.rollouts]
    assert tried == [(seed, task.id) for seed in (0, 7) for task in SUITE.tasks]
    assert (scorecard.model, scorecard.suite_id, scorecard.seeds) == (CHAMPION, SUITE.id, (0, 7))
    assert sum(rollout.passed for rollout in scorecard.rollouts) == 80


def test_an_outage_is_no_failure_of_the_model() -> None:
    scorecard = evaluate(Parrot("refund", broken="convert-03"), SUITE)

    (met,) = (rollout for rollout in scorecard.rollouts if rollout.status != "scored")
    assert (met.task_id, met.status, met.reward) == ("convert-03", "infrastructure", None)


def test_progress_tells_how_many_are_done_and_pass() -> None:
    heard: list[tuple[str, int, int, float]] = []

    evaluate(Parrot("refund"), SUITE, progress=lambda *each: heard.append(each))

    assert heard[-1] == ("evaluate desk@1", 80, 80, 0.5)
    assert [done for _, done, _, _ in heard] == [32, 64, 80]


def test_an_empty_suite_is_refused() -> None:
    with pytest.raises(EmptySuiteError):
        evaluate(Parrot("refund"), Suite(id="suite-empty", tasks=()))
