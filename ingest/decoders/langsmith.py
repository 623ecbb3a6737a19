"""LangSmith: batches of runs, runs alone, and feedback.

A run comes as a `post` at its start and a `patch` at its end, in any order, or whole; what is said
of one id is merged. Source: langsmith SDK 0.15.1, captured requests.
"""

from collections.abc import Iterator
from typing import Any

import orjson
from pydantic import JsonValue

from tracemill.ingest.decoded import Context, Decoded
from tracemill.ingest.decoders.feedback import as_share, read_correction
from tracemill.ingest.decoders.paths import value_at
from tracemill.ingest.dialects.attributes import tenant_in
from tracemill.ingest.redact import Redactor
from tracemill.ingest.span import Span
from tracemill.ingest.times import read_time, to_nanoseconds
from tracemill.ingest.trace import Feedback, FeedbackSource

SOURCES: dict[str, FeedbackSource] = {"api": "user", "app": "expert", "model": "judge"}
SESSION_KEYS = ("thread_id", "session_id", "conversation_id")

Fields = dict[str, Any]


def is_runs(value: Fields) -> bool:
    """Whether it is a batch of runs, or one."""
    if isinstance(value.get("post"), list) or isinstance(value.get("patch"), list):
        return True
    return "run_type" in value and ("dotted_order" in value or "trace_id" in value)


def is_feedback(value: Fields) -> bool:
    """Whether it is a feedback of a run."""
    return "run_id" in value and "key" in value


def decode_runs(value: Fields, context: Context) -> Decoded:
    """Return the runs as spans."""
    decoded = Decoded("langsmith")
    for path, run in _runs(value):
        with decoded.part(path):
            decoded.spans.append(_span(run, context.redactor))
    return decoded


def _runs(value: Fields) -> Iterator[tuple[str, Fields]]:
    if "run_type" in value:
        yield "", value
        return
    for part in ("post", "patch"):
        for index, run in enumerate(value.get(part) or ()):
            yield f"{part}[{index}]", run


def _span(run: Fields, redactor: Redactor) -> Span:
    metadata = (run.get("extra") or {}).get("metadata") or {}
    parent = run.get("parent_run_id")
    run_id = _run_id(run)
    return Span(
        trace_id=str(run.get("trace_id") or run_id),
        span_id=run_id,
        parent_id=None if parent is None else str(parent),
        name=str(run.get("name") or ""),
        start_ns=to_nanoseconds(run.get("start_time")),
        end_ns=to_nanoseconds(run.get("end_time")),
        error=str(run["error"]) if run.get("error") else None,
        attributes={k: v for k, v in _attributes(run, metadata, redactor) if v is not None},
        scope="langsmith",
    )


def _run_id(run: Fields) -> str:
    """Return the run's id; a patch may have it only at the end of its dotted order."""
    if run.get("id"):
        return str(run["id"])
    return str(run["dotted_order"]).rpartition(".")[2].partition("Z")[2]


def _attributes(
    run: Fields, metadata: Fields, redactor: Redactor
) -> Iterator[tuple[str, JsonValue]]:
    outputs = run.get("outputs") or {}
    usage = _usage(run, outputs, metadata)
    yield "langsmith.span.kind", run.get("run_type")
    yield "langsmith.inputs", run.get("inputs") or None
    yield "langsmith.outputs", outputs or None
    yield "gen_ai.response.model", outputs.get("model") or metadata.get("ls_model_name")
    yield "gen_ai.response.id", outputs.get("id")
    yield "gen_ai.usage.input_tokens", usage.get("input_tokens", usage.get("prompt_tokens"))
    yield "gen_ai.usage.output_tokens", usage.get("output_tokens", usage.get("completion_tokens"))
    yield "gen_ai.usage.cost", run.get("total_cost")
    yield "session.id", next((metadata[k] for k in SESSION_KEYS if metadata.get(k)), None)
    is_whole = run.get("parent_run_id") is None and run.get("run_type") == "chain"
    yield "langsmith.trace.name", run.get("name") if is_whole else None
    yield "gen_ai.tool.call.id", _call_id(run, metadata)
    user = metadata.get("user_id")
    yield "user.id", redactor.pseudonym(str(user)) if user else None
    tenant = tenant_in(metadata)
    yield "tenant.id", redactor.pseudonym(tenant, "tenant") if tenant else None
    invocation = (run.get("extra") or {}).get("invocation_params") or {}
    params = metadata.get("ls_invocation_params") or invocation
    yield "langsmith.metadata.ls_invocation_params", params or None


def _call_id(run: Fields, metadata: Fields) -> JsonValue:
    """Return the id of the call that a tool's run answers."""
    if run.get("run_type") != "tool":
        return None
    return (run.get("extra") or {}).get("tool_call_id") or metadata.get("tool_call_id")


def _usage(run: Fields, outputs: Fields, metadata: Fields) -> Fields:
    """Return the usage from where a wrapper, LangChain (two generations) or an export keeps it."""
    told = (
        outputs.get("usage_metadata"),
        metadata.get("usage_metadata"),
        outputs.get("usage"),
        value_at(outputs, "llm_output.token_usage"),
        value_at(outputs, "generations.0.0.message.kwargs.usage_metadata"),
        value_at(outputs, "generations.0.0.message.usage_metadata"),
    )
    return next((usage for usage in told if isinstance(usage, dict) and usage), run)


def decode_feedback(value: Fields, context: Context) -> Decoded:
    """Return the feedback; it names any run of a trace, not only the root."""
    score = value.get("score")
    said = value.get("value")
    source = (value.get("feedback_source") or {}).get("type")
    feedback = Feedback(
        id=str(value["id"]),
        target=str(value.get("run_id") or value["trace_id"]),
        name=str(value["key"]),
        score=as_share(score),
        label=_label(said, score),
        comment=value.get("comment"),
        correction=_correction(value.get("correction")),
        source=SOURCES.get(str(source), "user"),
        created_at=read_time(value.get("modified_at") or value.get("created_at"))
        or context.record_time,
    )
    if value.get("error"):
        return Decoded("langsmith-feedback", ignored=1)
    return Decoded("langsmith-feedback", feedback=[feedback])


def _label(said: Any, score: Any) -> str | None:
    """Return the value as text; where there is none, a score that is on another scale."""
    if said is None:
        return None if score is None or as_share(score) is not None else str(score)
    return said if isinstance(said, str) else orjson.dumps(said).decode()


def _correction(raw: Any) -> Any:
    """Return the message of a correction; an object of one text is that text."""
    if isinstance(raw, dict) and "role" not in raw and "name" not in raw:
        texts = [value for value in raw.values() if isinstance(value, str)]
        raw = texts[0] if len(texts) == len(raw) == 1 else orjson.dumps(raw).decode()
    return read_correction(raw)
