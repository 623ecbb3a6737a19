"""OTLP/JSON records in the other forms in which spans are sent: protobuf, and as SDKs print them."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue


def as_protobuf(records: Iterable[bytes]) -> list[bytes]:
    """The records in the Collector's default encoding."""
    return [_request(orjson.loads(record)).SerializeToString() for record in records]


def _request(value: dict[str, Any]) -> ExportTraceServiceRequest:
    request = ExportTraceServiceRequest()
    for resource in value["resourceSpans"]:
        made = request.resource_spans.add()
        for item in resource["resource"]["attributes"]:
            made.resource.attributes.add(key=item["key"], value=_any(item["value"]))
        scoped = made.scope_spans.add()
        for fields in resource["scopeSpans"][0]["spans"]:
            span = scoped.spans.add(
                trace_id=bytes.fromhex(fields["traceId"]),
                span_id=bytes.fromhex(fields["spanId"]),
                parent_span_id=bytes.fromhex(fields.get("parentSpanId", "")),
                name=fields["name"],
                start_time_unix_nano=int(fields["startTimeUnixNano"]),
                end_time_unix_nano=int(fields["endTimeUnixNano"]),
            )
            for item in fields["attributes"]:
                span.attributes.add(key=item["key"], value=_any(item["value"]))
    return request


def _any(value: dict[str, Any]) -> AnyValue:
    ((kind, inner),) = value.items()
    made = AnyValue()
    match kind:
        case "stringValue":
            made.string_value = inner
        case "intValue":
            made.int_value = int(inner)
        case "doubleValue":
            made.double_value = inner
        case "boolValue":
            made.bool_value = inner
        case _:
            made.array_value.values.extend(_any(item) for item in inner["values"])
    return made


def as_sdk_spans(records: Iterable[bytes]) -> list[bytes]:
    """Each span as Python's `to_json` prints it."""
    return [
        orjson.dumps(_printed(fields, resource["resource"]["attributes"]))
        for record in records
        for resource in orjson.loads(record)["resourceSpans"]
        for fields in resource["scopeSpans"][0]["spans"]
    ]


def _printed(fields: dict[str, Any], resource: list[dict[str, Any]]) -> dict[str, Any]:
    parent = fields.get("parentSpanId")
    return {
        "name": fields["name"],
        "context": {
            "trace_id": f"0x{fields['traceId']}",
            "span_id": f"0x{fields['spanId']}",
            "trace_state": "[]",
        },
        "kind": "SpanKind.INTERNAL",
        "parent_id": f"0x{parent}" if parent else None,
        "start_time": _time(fields["startTimeUnixNano"]),
        "end_time": _time(fields["endTimeUnixNano"]),
        "status": {"status_code": "UNSET"},
        "attributes": {item["key"]: _plain(item["value"]) for item in fields["attributes"]},
        "events": [],
        "links": [],
        "resource": {"attributes": {i["key"]: _plain(i["value"]) for i in resource}},
    }


def _time(nanoseconds: str) -> str:
    moment = datetime.fromtimestamp(int(nanoseconds) / 1e9, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _plain(value: dict[str, Any]) -> Any:
    ((kind, inner),) = value.items()
    if kind == "arrayValue":
        return [_plain(item) for item in inner["values"]]
    return int(inner) if kind == "intValue" else inner
