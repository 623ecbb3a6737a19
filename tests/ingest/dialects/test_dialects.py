"""One conversation in sixteen dialects is one trace."""

import pytest

from tests.ingest.conversation import MESSAGES, MODEL, TOOLS, TRACE, USAGE
from tests.ingest.conversation_dialects import DIALECTS
from tests.ingest.reading import traces_of
from tracemill.ingest.trace import Message, Trace

WITHOUT_TOOLS = ("otel-genai (v1.28 to v1.36, logs)", "otel-genai (to v1.27, span events)")
WITHOUT_USAGE = ("pydantic-ai", "sharegpt")
WITHOUT_MODEL = ("sharegpt",)


def read(dialect: str) -> Trace:
    (trace,) = traces_of(DIALECTS[dialect]())
    return trace


def without_ids(messages: tuple[Message, ...]) -> list[dict[str, object]]:
    plain = []
    for message in messages:
        fields = message.model_dump(exclude={"tool_call_id", "is_error"})
        plain.append({**fields, "tool_calls": [(c.name, c.parsed()) for c in message.tool_calls]})
    return plain


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_transcript_is_the_same_in_every_dialect(dialect: str) -> None:
    trace = read(dialect)

    assert without_ids(trace.messages) == without_ids(MESSAGES)
    assert trace.dialect == dialect.partition(" (")[0]
    assert trace.model.name == ("unknown" if dialect in WITHOUT_MODEL else MODEL)
    assert trace.is_complete
    assert trace.has_content
    assert not trace.is_truncated


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_result_names_its_call(dialect: str) -> None:
    call, result = read(dialect).messages[2:4]

    assert result.tool_call_id == call.tool_calls[0].id
    assert result.name == "get_order"
    assert result.is_error in (None, False)
    if dialect != "sharegpt":
        assert result.tool_call_id == "call_9f"


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name not in WITHOUT_TOOLS])
def test_the_tools_that_were_offered_are_the_same_in_every_dialect(dialect: str) -> None:
    assert read(dialect).tools == TOOLS


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name not in WITHOUT_USAGE])
def test_the_tokens_of_the_last_answer_are_the_same_in_every_dialect(dialect: str) -> None:
    step = read(dialect).step_at(4)

    assert step is not None
    assert (step.prompt_tokens, step.completion_tokens) == USAGE[1]


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name not in WITHOUT_USAGE])
def test_usage_is_counted_once_for_each_model_call(dialect: str) -> None:
    trace = read(dialect)

    tokens = sum(step.prompt_tokens or 0 for step in trace.steps)
    assert tokens == (sum(used for used, _ in USAGE) if len(trace.steps) == 2 else USAGE[1][0])


def test_spans_are_kept_under_the_otel_id_whatever_the_dialect_calls_it() -> None:
    assert {
        read(name).id for name in ("otel-genai (from v1.37)", "mlflow", "langfuse (batch)")
    } == {TRACE}
