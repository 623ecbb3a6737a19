"""Single values of a span, by the names that the conventions give them; the first there wins."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import orjson

from tracemill.ingest.span import Span

ALIASES: Mapping[str, tuple[str, ...]] = {
    "model": (
        "gen_ai.response.model", "llm.response.model_name", "llm.model_name",
        "langfuse.observation.model.name", "mlflow.llm.model", "ai.response.model", "ai.model.id",
        "gen_ai.request.model", "llm.request.model_name", "langsmith.metadata.ls_model_name",
    ),
    "model_version": ("tracemill.model.version",),
    "prompt_tokens": (
        "gen_ai.usage.input_tokens", "llm.token_count.prompt", "gen_ai.usage.prompt_tokens",
        "ai.usage.promptTokens", "ai.usage.inputTokens",
        "mlflow.chat.tokenUsage#input_tokens",
    ),
    "completion_tokens": (
        "gen_ai.usage.output_tokens", "llm.token_count.completion",
        "gen_ai.usage.completion_tokens", "ai.usage.completionTokens", "ai.usage.outputTokens",
        "mlflow.chat.tokenUsage#output_tokens",
    ),
    "cost_usd": (
        "gen_ai.usage.cost", "llm.cost.total", "mlflow.llm.cost#total_cost",
    ),
    "finish": (
        "gen_ai.response.finish_reasons", "llm.finish_reason", "ai.response.finishReason",
        "gen_ai.completion.0.finish_reason",
    ),
    "response_id": ("gen_ai.response.id", "ai.response.id"),
    "session": (
        "gen_ai.conversation.id", "session.id", "langfuse.session.id", "mlflow.trace.session",
        "langsmith.metadata.thread_id", "langsmith.metadata.session_id",
        "langsmith.metadata.conversation_id", "gcp.vertex.agent.session_id",
        "langfuse.observation.metadata.thread_id",
        "traceloop.association.properties.session_id",
        "traceloop.association.properties.chat_id", "ai.telemetry.metadata.sessionId",
    ),
    "user": (
        "user.id", "enduser.id", "langfuse.user.id", "mlflow.trace.user",
        "traceloop.association.properties.user_id", "langsmith.metadata.user_id",
        "ai.telemetry.metadata.userId",
    ),
    "tenant": (
        "tracemill.tenant", "tenant.id", "tenant_id", "organization.id",
        "langfuse.trace.metadata.tenant_id", "langsmith.metadata.tenant_id",
        "traceloop.association.properties.tenant_id", "ai.telemetry.metadata.tenantId",
    ),
    "agent": (
        "gen_ai.agent.name", "agent.name", "agent_name", "langfuse.trace.name",
        "traceloop.workflow.name", "langsmith.trace.name", "ai.telemetry.functionId",
        "mlflow.traceTag.mlflow.traceName",
        "graph.node.id", "service.name",
    ),
    "tool_name": ("gen_ai.tool.name", "tool.name", "ai.toolCall.name", "traceloop.entity.name"),
    "call_id": ("gen_ai.tool.call.id", "tool.id", "ai.toolCall.id", "tool_call.id"),
    "task": ("tracemill.task",),
    "environment_state": ("tracemill.environment.state",),
    "reward": ("tracemill.outcome.reward",),
    "label": ("tracemill.outcome.label",),
    "outcome_error": ("tracemill.outcome.error",),
    "error_type": ("error.type",),
}  # fmt: skip
"""What we call it → what the wire calls it; after a # the key within an attribute's JSON text.

`langsmith.trace.session_id` is a project's id, not a session's. OpenTelemetry names no tenant: what
frameworks keep of the application's own metadata has our name.
"""
PSEUDONYMOUS: Mapping[str, Literal["user", "tenant"]] = {
    **dict.fromkeys(ALIASES["user"], "user"),
    **dict.fromkeys(ALIASES["tenant"], "tenant"),
}
"""Attributes whose value is the id of a user or a tenant: kept under a pseudonym."""

_USER_KEYS = frozenset(ALIASES["user"])
_TENANT_KEYS = ("tenant_id", "tenantId", "tenant.id")
_NAMES = {field: tuple(n for n in names if "#" not in n) for field, names in ALIASES.items()}
_INNER_NAMES = {
    field: tuple((n.partition("#")[0], n.partition("#")[2]) for n in names if "#" in n)
    for field, names in ALIASES.items()
}


def value_of(span: Span, field: str) -> Any:
    """Return the value that the span has for one of ALIASES; None if it has none."""
    attributes = span.attributes
    for name in _NAMES[field]:
        if (value := attributes.get(name)) is not None:
            return value
    for outer, key in _INNER_NAMES[field]:
        if (text := attributes.get(outer)) is not None and (
            value := _within(text, key)
        ) is not None:
            return value
    return None


def _within(text: Any, key: str) -> Any:
    try:
        inner = orjson.loads(text) if isinstance(text, str) else text
    except orjson.JSONDecodeError:
        return None
    return inner.get(key) if isinstance(inner, dict) else None


def users_of(spans: Iterable[Span]) -> frozenset[str]:
    """Return all users whom the spans name."""
    return frozenset(
        str(span.attributes[key])
        for span in spans
        if not _USER_KEYS.isdisjoint(span.attributes)
        for key in _USER_KEYS.intersection(span.attributes)
        if span.attributes[key] is not None
    )


def tenant_in(metadata: Any) -> str | None:
    """Return the tenant that an application's own metadata names, under one of its usual keys."""
    if not isinstance(metadata, dict):
        return None
    return next((str(metadata[key]) for key in _TENANT_KEYS if metadata.get(key)), None)


def gathered(spans: Sequence[Span]) -> Span:
    """Return one span that has the attributes of all; of one name the first span's counts."""
    attributes: dict[str, Any] = {}
    for span in reversed(spans):
        attributes.update(span.attributes)
    return Span(trace_id="", span_id="", attributes=attributes)


def number_of(span: Span, field: str) -> float | None:
    """Return the value as a number that is not negative; None if it is none."""
    value = value_of(span, field)
    if value is None:
        return None
    if isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and value >= 0 else None
