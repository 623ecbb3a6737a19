"""Feedback of every dialect names its target, keeps its scale, and a judge's error is no negative."""

from typing import Any

import orjson
import pytest

from tests.ingest.conversation import FIRST, TRACE, number
from tests.ingest.reading import decode_value
from tests.ingest.samples import START, attributes, otlp, span, text
from tracemill.ingest.mapping import FeedbackMapping
from tracemill.ingest.options import TopicOptions
from tracemill.ingest.trace import Feedback


def feedback_in(value: dict[str, Any], topic: TopicOptions | None = None) -> list[Feedback]:
    decoded = decode_value(orjson.dumps(value), topic)
    assert decoded.rejects == []
    return decoded.feedback


def evaluation(**fields: Any) -> dict[str, Any]:
    named = attributes(**{f"gen_ai__evaluation__{key}": value for key, value in fields.items()})
    record = {
        "timeUnixNano": str(START), "eventName": "gen_ai.evaluation.result",
        "traceId": TRACE, "spanId": FIRST, "attributes": named,
    }  # fmt: skip
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}


def test_an_evaluation_event_speaks_of_its_span() -> None:
    value = evaluation(name="Resolved", score__value={"doubleValue": 0.25}, score__label="fail")

    (said,) = feedback_in(value)

    assert (said.target, said.name, said.score, said.label) == (FIRST, "Resolved", 0.25, "fail")
    assert said.source == "judge"
    assert decode_value(orjson.dumps(value)).spans == []


def test_an_evaluation_that_names_a_response_speaks_of_that() -> None:
    value = evaluation(name="Resolved", score__value={"doubleValue": 1})
    record = value["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]
    record["attributes"] += attributes(gen_ai__response__id="chatcmpl-A1")
    del record["traceId"], record["spanId"]

    (said,) = feedback_in(value)

    assert said.target == "chatcmpl-A1"


def test_a_judge_that_failed_says_nothing() -> None:
    value = evaluation(name="Resolved")
    value["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]["attributes"] += attributes(
        error__type="Timeout"
    )
    failed = {"value": None, "error": {"error_code": "TIMEOUT"}}
    mlflow = {"assessment_name": "judge", "trace_id": f"tr-{TRACE}", "feedback": failed}
    run = {"id": "f", "run_id": "r", "key": "judge", "score": None, "error": "boom"}

    for one in (value, mlflow, run):
        assert feedback_in(one) == []
        assert decode_value(orjson.dumps(one)).ignored == 1


@pytest.mark.parametrize(
    ("scope", "target"), [("", "e1b2c3d4e5f60718"), ("trace.", TRACE), ("session.", "s-9")]
)
def test_an_annotation_on_a_carrier_span_speaks_of_the_span_it_links_to(
    scope: str, target: str
) -> None:
    start = f"{scope}annotations.0.annotation"
    named = {
        "openinference.span.kind": text("EVALUATOR"),
        "session.id": text("s-9"),
        f"{start}.name": text("user_thumb"),
        f"{start}.score": number(0),
        f"{start}.annotator_kind": text("HUMAN"),
        f"{start}.identifier": text("fb-771"),
    }
    links = [{"traceId": TRACE, "spanId": "e1b2c3d4e5f60718"}]
    listed = [{"key": key, "value": value} for key, value in named.items()]
    carrier = span("99" * 16, "f1b2c3d4e5f60718", 0, 1, attributes=listed, links=links)

    first = decode_value(otlp(carrier)).feedback
    again = decode_value(otlp({**carrier, "spanId": "f2b2c3d4e5f60718"})).feedback

    assert [(said.target, said.score, said.source) for said in first] == [(target, 0.0, "user")]
    assert first[0].id == again[0].id


@pytest.mark.parametrize(
    ("body", "score", "label"),
    [
        ({"value": 0, "dataType": "BOOLEAN"}, 0.0, None),
        ({"value": 0.7, "dataType": "NUMERIC"}, 0.7, None),
        ({"value": 4, "dataType": "NUMERIC"}, None, "4"),
        ({"value": "bad", "dataType": "CATEGORICAL"}, None, "bad"),
        ({"value": 1, "stringValue": "good", "dataType": "CATEGORICAL"}, 1.0, "good"),
    ],
)
def test_a_langfuse_score_keeps_a_number_of_ours_and_writes_down_others(
    body: dict[str, Any], score: float | None, label: str | None
) -> None:
    said = {"id": "sc-1", "traceId": TRACE, "name": "thumb", "timestamp": "2026-01-05T16:00:00Z"}
    batch = {
        "batch": [{"id": "e", "type": "score-create", "timestamp": "", "body": {**said, **body}}]
    }

    for value in ({**said, **body}, batch):
        (read,) = feedback_in(value)
        assert (read.id, read.target, read.score, read.label) == ("sc-1", TRACE, score, label)


def test_a_langfuse_score_of_an_observation_speaks_of_that_and_a_correction_is_a_message() -> None:
    body = {"traceId": TRACE, "observationId": FIRST, "name": "output", "dataType": "CORRECTION"}

    (said,) = feedback_in({**body, "id": "c", "value": "It was refunded.", "timestamp": None})

    assert said.target == FIRST
    assert said.score is None
    assert said.correction is not None
    assert said.correction.content == "It was refunded."


def test_an_mlflow_assessment_names_the_trace_by_its_otel_id_and_can_be_withdrawn() -> None:
    value = {
        "assessment_name": "user_thumb", "trace_id": f"tr-{TRACE}", "assessment_id": "a-1",
        "source": {"source_type": "HUMAN", "source_id": "u42"}, "feedback": {"value": False},
        "create_time": "2026-01-05T16:00:00.000Z", "rationale": "wrong order", "valid": True,
    }  # fmt: skip

    (said,) = feedback_in({"assessment": value})
    (withdrawn,) = feedback_in({**value, "valid": False})

    assert (said.target, said.score, said.comment, said.source) == (
        TRACE,
        0.0,
        "wrong order",
        "user",
    )
    assert withdrawn.id == said.id
    assert withdrawn.retracted


def test_an_mlflow_expectation_is_a_correction() -> None:
    value = {
        "assessment_name": "answer",
        "trace_id": f"tr-{TRACE}",
        "expectation": {"value": "Refunded."},
    }

    (said,) = feedback_in(value)

    assert said.correction is not None
    assert said.correction.content == "Refunded."


def test_langsmith_feedback_speaks_of_any_run_and_may_correct_it() -> None:
    value = {
        "id": "9d7c", "run_id": "run-1", "trace_id": "run-0", "key": "user_score", "score": 0, "value": None,
        "correction": {"answer": "A17 was refunded"}, "feedback_source": {"type": "api"},
        "modified_at": "2026-01-05T16:00:00Z",
    }  # fmt: skip

    (said,) = feedback_in(value)

    assert (said.target, said.name, said.score) == ("run-1", "user_score", 0.0)
    assert said.correction is not None
    assert said.correction.content == "A17 was refunded"


def test_a_teams_own_feedback_is_read_by_its_mapping() -> None:
    mapping = FeedbackMapping(
        target="order.id", id=("order.id", "nr"), score="stars", max_score=5, comment="text"
    )
    value = {"order": {"id": "A17"}, "nr": 3, "stars": 4, "text": "fine"}

    (said,) = feedback_in(value, TopicOptions(feedback_mapping=mapping))

    assert (said.id, said.target, said.name, said.score, said.comment) == (
        "A17-3", "A17", "topic", 0.8, "fine",
    )  # fmt: skip


def test_feedback_that_names_nothing_is_rejected() -> None:
    decoded = decode_value(b'{"trace_id": "", "target": null, "name": "thumb", "score": 1}')

    assert decoded.feedback == []
    assert len(decoded.rejects) == 1
