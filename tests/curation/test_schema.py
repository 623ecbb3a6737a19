import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from tests.curation.conversations import calls
from tests.curation.refund_desk import TOOLS
from tracemill.curation.schema import call_problem, is_plainly_valid
from tracemill.ingest.trace import Message, ToolSpec


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        (calls("refund_order", order_id=1), None),
        (calls("refund", order_id=1), "no tool is named 'refund'"),
        (calls("refund_order", "order_id=1"), "the arguments of refund_order are no JSON object"),
        (calls("refund_order", {}), "refund_order: required argument missing: order_id"),
        (calls("refund_order", order_id=1, why="x"), "refund_order: unknown argument: why"),
        (
            calls("refund_order", order_id="one"),
            "refund_order: argument 'order_id' breaks 'type': integer",
        ),
    ],
)
def test_what_is_wrong_with_a_call_is_said_in_words(message: Message, problem: str | None) -> None:
    assert call_problem(message.tool_calls[0], TOOLS) == problem


@pytest.mark.parametrize(
    "parameters",
    [
        {"type": "no such type"},
        {"$ref": "https://example.com/elsewhere.json"},
        {"properties": {"a": {"$ref": "#/$defs/missing"}}},
    ],
)
def test_a_schema_that_cannot_be_used_is_no_evidence_and_nothing_is_fetched(
    parameters: dict[str, object],
) -> None:
    tool = ToolSpec.model_validate({"name": "look", "parameters": parameters})

    assert call_problem(calls("look", a=1).tool_calls[0], (tool,)) is None


SCHEMAS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["object", "string"]),
        "properties": st.dictionaries(
            st.sampled_from("abc"),
            st.fixed_dictionaries(
                {"type": st.sampled_from(["string", "integer", "boolean", "number", "null"])},
                optional={"minimum": st.just(3), "title": st.just("x")},
            ),
        ),
    },
    optional={
        "required": st.lists(st.sampled_from("abc"), unique=True),
        "additionalProperties": st.booleans(),
        "minProperties": st.just(2),
    },
)
ARGUMENTS = st.dictionaries(
    st.sampled_from("abcd"), st.none() | st.booleans() | st.integers() | st.just(2.0) | st.just("s")
)


@given(SCHEMAS, ARGUMENTS)
def test_what_is_plainly_valid_is_valid(
    schema: dict[str, object], arguments: dict[str, object]
) -> None:
    if is_plainly_valid(schema, arguments):  # type: ignore[arg-type]
        assert Draft202012Validator(schema).is_valid(arguments)
