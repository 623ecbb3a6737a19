from pathlib import Path

import pytest

from tests.fixtures.tiny_world import TINY_AGENT, TOOLS, make_requests
from tracemill.curation.chat import ChatRequest, Completion
from tracemill.errors import ModelUnavailableError
from tracemill.ingest.trace import Message, ModelRef
from tracemill.training.local_model import LocalModel

REF = ModelRef(name="tiny", version="1")


@pytest.fixture(scope="module")
def model() -> LocalModel:
    return LocalModel(TINY_AGENT, REF)


def requests_with_history(count: int) -> list[ChatRequest]:
    """Return requests that begin alike, long enough for a shared prefix."""
    earlier = make_requests(9, 1)[0]
    history = (*earlier.prompt, earlier.right, Message(role="tool", content="ok"))
    return [ChatRequest((*history, *request.prompt), TOOLS) for request in make_requests(3, count)]


def answers(completions: tuple[Completion, ...]) -> list[tuple[object, str, int, int]]:
    return [
        (done.message, done.finish_reason, done.prompt_tokens, done.completion_tokens)
        for done in completions
    ]


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_shared_prefix_changes_no_answer(model: LocalModel, temperature: float) -> None:
    requests = requests_with_history(24)

    together = model.complete(requests, seed=1, temperature=temperature, max_tokens=30)
    alone = [
        model.complete([request], seed=1, temperature=temperature, max_tokens=30)[0]
        for request in requests
    ]

    assert answers(together) == answers(tuple(alone))


def test_sampling_depends_on_the_seed_and_on_nothing_else(model: LocalModel) -> None:
    requests = requests_with_history(20)

    first, again, other = (
        answers(model.complete(requests, seed=seed, temperature=1.5, max_tokens=30))
        for seed in (1, 1, 2)
    )

    assert first == again
    assert first != other


def test_a_call_is_read_as_a_call_numbered_through_the_conversation(model: LocalModel) -> None:
    request = make_requests(1, 1, ("cancel",))[0]
    earlier = make_requests(2, 1, ("cancel",))[0]
    history = (*earlier.prompt, earlier.right, Message(role="tool", content="ok"))

    first, second = model.complete(
        [ChatRequest(request.prompt, TOOLS), ChatRequest((*history, *request.prompt), TOOLS)],
        seed=0,
        temperature=0.0,
        max_tokens=40,
    )

    assert first.message == request.right
    assert first.finish_reason == "tool"
    assert second.message is not None
    assert [call.id for call in second.message.tool_calls] == ["call_1"]


def test_an_answer_in_words_stops_and_a_cut_one_is_told_from_it(model: LocalModel) -> None:
    request = make_requests(1, 1)[0]
    after_reply = (*request.prompt, request.right, Message(role="tool", content="ok"))

    (whole,) = model.complete(
        [ChatRequest(after_reply, TOOLS)], seed=0, temperature=0.0, max_tokens=9
    )
    (cut,) = model.complete(
        [ChatRequest(request.prompt, TOOLS)], seed=0, temperature=0.0, max_tokens=3
    )

    assert whole.message == Message(role="assistant", content="Done.")
    assert whole.finish_reason == "stop"
    assert cut.finish_reason == "length"
    assert cut.message is not None
    assert cut.message.tool_calls == ()


def test_a_prompt_that_exceeds_the_context_is_an_error_and_not_an_answer(
    model: LocalModel,
) -> None:
    long = ChatRequest((Message(role="user", content="refund " * 600),), TOOLS)
    short = ChatRequest(make_requests(1, 1)[0].prompt, TOOLS)

    refused, answered = model.complete([long, short], seed=0, temperature=0.0, max_tokens=40)

    assert refused.message is None
    assert refused.finish_reason == "error"
    assert "context of 512" in (refused.error or "")
    assert answered.message is not None


def test_no_request_is_answered_with_nothing(model: LocalModel) -> None:
    assert model.complete([], seed=0, temperature=0.0, max_tokens=5) == ()


def test_progress_is_heard_after_each_batch() -> None:
    heard: list[tuple[int, int]] = []
    model = LocalModel(TINY_AGENT, REF, batch_size=4, progress=lambda *said: heard.append(said))

    model.complete(requests_with_history(10), seed=0, temperature=0.0, max_tokens=5)

    assert heard == [(4, 10), (8, 10), (10, 10)]


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelUnavailableError, match=str(tmp_path)):
        LocalModel(tmp_path, REF)
