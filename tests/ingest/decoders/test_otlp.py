"""OTLP in JSON and protobuf says the same, whatever the sender's spelling."""

import base64
from typing import Any

import orjson
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.ingest.conversation import TRACE
from tests.ingest.conversation_genai import genai_b_logs
from tests.ingest.reading import decode_value, redactor, traces_of
from tests.ingest.samples import (
    START,
    agent_span,
    attributes,
    chat_span,
    otlp,
    span,
    text,
    tool_span,
)
from tracemill.ingest.dialects.attributes import ALIASES


def protobuf(trace_id: str) -> bytes:
    """The three sample spans in the Collector's default encoding."""
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    resource.resource.attributes.add(key="service.name").value.string_value = "shop-agent"
    scoped = resource.scope_spans.add()
    for fields in (agent_span(trace_id), chat_span(trace_id), tool_span(trace_id)):
        made = scoped.spans.add(
            trace_id=bytes.fromhex(trace_id),
            span_id=bytes.fromhex(fields["spanId"]),
            parent_span_id=bytes.fromhex(fields.get("parentSpanId", "")),
            name=fields["name"],
            start_time_unix_nano=int(fields["startTimeUnixNano"]),
            end_time_unix_nano=int(fields["endTimeUnixNano"]),
        )
        made.status.code = fields.get("status", {}).get("code", 0)
        made.status.message = fields.get("status", {}).get("message", "")
        for pair in fields["attributes"]:
            value = made.attributes.add(key=pair["key"]).value
            ((kind, inner),) = pair["value"].items()
            if kind == "intValue":
                value.int_value = int(inner)
            elif kind == "arrayValue":
                value.array_value.values.add().string_value = inner["values"][0]["stringValue"]
            else:
                value.string_value = inner
    encoded: bytes = request.SerializeToString()
    return encoded


def test_protobuf_and_json_give_the_same_trace() -> None:
    (from_protobuf,) = traces_of([protobuf(TRACE)])
    (from_json,) = traces_of([otlp(agent_span(TRACE), chat_span(TRACE), tool_span(TRACE))])

    assert from_protobuf == from_json
    assert from_json.messages[-1].is_error is True
    assert from_json.messages[-1].content == "upstream timeout"
    assert from_json.session_id == "conv-42"
    assert from_json.agent == "shop"


def test_log_records_in_protobuf_are_read_too() -> None:
    logs, *spans = genai_b_logs()
    request = ExportLogsServiceRequest()
    scoped = request.resource_logs.add().scope_logs.add()
    for fields in orjson.loads(logs)["resourceLogs"][0]["scopeLogs"][0]["logRecords"]:
        record = scoped.log_records.add(
            trace_id=bytes.fromhex(fields["traceId"]),
            span_id=bytes.fromhex(fields["spanId"]),
            event_name=fields["eventName"],
            observed_time_unix_nano=int(fields["observedTimeUnixNano"]),
        )
        fill(record.body, fields["body"])

    assert traces_of([request.SerializeToString(), *spans]) == traces_of([logs, *spans])


def fill(target: Any, value: dict[str, Any]) -> None:
    ((kind, inner),) = value.items()
    if kind == "kvlistValue":
        for pair in inner["values"]:
            fill(target.kvlist_value.values.add(key=pair["key"]).value, pair["value"])
    elif kind == "arrayValue":
        for item in inner["values"]:
            fill(target.array_value.values.add(), item)
    elif kind == "intValue":
        target.int_value = int(inner)
    else:
        target.string_value = inner


@pytest.mark.parametrize(
    "spelling",
    [
        lambda hexed: hexed.upper(),
        lambda hexed: base64.b64encode(bytes.fromhex(hexed)).decode(),
        lambda hexed: hexed,
    ],
)
def test_ids_are_hex_in_either_case_or_base64(spelling) -> None:  # type: ignore[no-untyped-def]
    fields = {
        **chat_span(TRACE),
        "traceId": spelling(TRACE),
        "parentSpanId": spelling("a1b2c3d4e5f60718"),
    }

    (read,) = decode_value(otlp(fields)).spans

    assert (read.trace_id, read.parent_id) == (TRACE, "a1b2c3d4e5f60718")


@pytest.mark.parametrize("parent", [None, "", "0" * 16, "AAAAAAAAAAA="])
def test_an_absent_parent_has_four_spellings(parent: str | None) -> None:
    (read,) = decode_value(otlp({**chat_span(TRACE), "parentSpanId": parent})).spans

    assert read.parent_id is None
    assert read.is_root


def test_a_parent_in_another_process_makes_a_local_root() -> None:
    (remote,) = decode_value(otlp({**chat_span(TRACE), "flags": 0x301})).spans
    (local,) = decode_value(otlp({**chat_span(TRACE), "flags": 0x101})).spans

    assert remote.is_root
    assert not local.is_root


def test_unknown_fields_are_ignored_and_numbers_may_be_numbers() -> None:
    fields = {**chat_span(TRACE), "startTimeUnixNano": START, "novelty": {"x": [1]}}

    (read,) = decode_value(otlp(fields)).spans

    assert read.start_ns == START


def test_a_protobuf_that_looks_like_json_is_read_as_protobuf() -> None:
    """A ResourceSpans of 123 bytes makes a record begin with a line feed and a brace."""
    named = attributes(gen_ai__operation__name="chat")
    request = ExportTraceServiceRequest()
    scoped = request.resource_spans.add().scope_spans.add()
    made = scoped.spans.add(
        trace_id=bytes.fromhex(TRACE), span_id=b"12345678", start_time_unix_nano=START
    )
    made.attributes.add(key=named[0]["key"]).value.string_value = "chat"
    made.name = "x" * (123 - request.resource_spans[0].ByteSize() - 2)
    encoded = request.SerializeToString()

    assert encoded.startswith(b"\n{")
    assert decode_value(encoded).decoder == "otlp-protobuf"


def test_dropped_attributes_are_counted_in_the_trace() -> None:
    (trace,) = traces_of([otlp({**chat_span(TRACE), "droppedAttributesCount": 12})])

    assert trace.dropped_attributes == 12


def test_metrics_and_mere_log_lines_are_counted_and_left() -> None:
    line = {"timeUnixNano": "1", "body": {"stringValue": "GET /"}, "traceId": TRACE}
    metrics = decode_value(b'{"resourceMetrics": [{}, {}]}')
    logs = decode_value(orjson.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [line]}]}]}))

    assert (metrics.ignored, metrics.rejects) == (2, [])
    assert (logs.ignored, logs.rejects, logs.spans) == (1, [], [])


def test_a_span_of_no_agent_makes_no_trace() -> None:
    assert traces_of([otlp(span(TRACE, "a" * 16, 0, 1, name="GET /"))]) == []


def test_our_own_attributes_say_what_was_asked_and_how_it_ended() -> None:
    more = {
        "tracemill__task": "refund-7",
        "tracemill__environment__state": '{"orders": {"A17": "shipped"}}',
        "tracemill__outcome__reward": {"doubleValue": 0.5},
        "tracemill__outcome__label": "half",
        "user__id": "ann",
    }
    chat = chat_span(TRACE, tracemill__model__version="3")

    (trace,) = traces_of([otlp(chat, agent_span(TRACE, **more))])

    assert trace.task == "refund-7"
    assert trace.environment_state == {"orders": {"A17": "shipped"}}
    assert (trace.outcome.reward, trace.outcome.label) == (0.5, "half")
    assert trace.model.label == "gpt-4o-2024-08-06@3"
    assert trace.user_id is not None
    assert trace.user_id.startswith("user-")


@pytest.mark.parametrize("name", ALIASES["user"])
def test_a_user_is_kept_under_a_pseudonym_whatever_the_attribute_is_called(name: str) -> None:
    fields = chat_span(TRACE)
    fields["attributes"].append({"key": name, "value": {"stringValue": "ann-4711"}})

    (read,) = decode_value(otlp(fields)).spans
    (trace,) = traces_of([otlp(fields)])

    assert "ann-4711" not in str(read)
    assert trace.user_id is not None
    assert trace.user_id.startswith("user-")


@pytest.mark.parametrize("name", ALIASES["tenant"])
def test_a_tenant_is_kept_under_a_pseudonym_of_its_span_or_its_resource(name: str) -> None:
    of_span = chat_span(TRACE)
    of_span["attributes"].append({"key": name, "value": text("acme-4711")})
    of_resource = orjson.loads(otlp(chat_span(TRACE)))
    resource = of_resource["resourceSpans"][0]["resource"]
    resource["attributes"].append({"key": name, "value": text("acme-4711")})

    for value in (otlp(of_span), orjson.dumps(of_resource)):
        (read,) = decode_value(value).spans
        (trace,) = traces_of([value])
        assert "acme-4711" not in str(read)
        assert trace.tenant_id == redactor().pseudonym("acme-4711", "tenant")


def test_a_resource_in_protobuf_names_the_tenant_too() -> None:
    request = ExportTraceServiceRequest.FromString(protobuf(TRACE))
    resource = request.resource_spans[0].resource
    resource.attributes.add(key="tenant.id").value.string_value = "acme-4711"

    (trace,) = traces_of([request.SerializeToString()])

    assert trace.tenant_id == redactor().pseudonym("acme-4711", "tenant")
