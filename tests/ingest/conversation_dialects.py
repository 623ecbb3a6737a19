"""All forms in which the conversation is written, by the dialect that the trace must bear."""

from collections.abc import Callable

from tests.ingest.conversation_frameworks import google_adk, pydantic_ai, pydantic_ai_run, vercel
from tests.ingest.conversation_genai import (
    genai_a,
    genai_b_events,
    genai_b_logs,
    genai_c,
    genai_c_events,
)
from tests.ingest.conversation_logs import (
    OWN_MAPPING,
    anthropic,
    mapped,
    nemo_gym,
    openai_chat,
    openai_responses,
    sharegpt,
    verifiers,
)
from tests.ingest.conversation_otlp import as_protobuf, as_sdk_spans
from tests.ingest.conversation_records import (
    langfuse_batch,
    langfuse_export,
    langsmith,
    mlflow,
)
from tests.ingest.conversation_spans import (
    langfuse_otlp,
    langsmith_otlp,
    openinference,
    openllmetry,
    openllmetry_new,
)
from tracemill.ingest.mapping import FieldMapping
from tracemill.ingest.options import TopicOptions

DIALECTS: dict[str, Callable[[], list[bytes]]] = {
    "otel-genai (from v1.37)": genai_c,
    "otel-genai (from v1.37, protobuf)": lambda: as_protobuf(genai_c()),
    "otel-genai (from v1.37, as SDKs print spans)": lambda: as_sdk_spans(genai_c()),
    "otel-genai (from v1.37, content in log records)": genai_c_events,
    "otel-genai (v1.28 to v1.36, logs)": genai_b_logs,
    "otel-genai (v1.28 to v1.36, span events of Strands)": genai_b_events,
    "otel-genai (to v1.27, span events)": genai_a,
    "openinference": openinference,
    "openinference (protobuf)": lambda: as_protobuf(openinference()),
    "openllmetry": openllmetry,
    "otel-genai (openllmetry from 0.55)": openllmetry_new,
    "langfuse": langfuse_otlp,
    "langfuse (batch)": langfuse_batch,
    "langfuse (export)": langfuse_export,
    "mlflow": mlflow,
    "langsmith": langsmith,
    "langsmith (export to OTel)": langsmith_otlp,
    "vercel-ai": vercel,
    "google-adk": google_adk,
    "otel-genai (pydantic-ai)": pydantic_ai,
    "pydantic-ai (the run's span alone)": pydantic_ai_run,
    "chat": openai_chat,
    "mapped": mapped,
    "openai-responses": openai_responses,
    "openai-responses (NeMo Gym)": nemo_gym,
    "anthropic": anthropic,
    "sharegpt": sharegpt,
    "verifiers": verifiers,
}
"""Dialect that the trace must name (and a remark) → its records."""

TOPICS = {"mapped": TopicOptions(mapping=FieldMapping(**OWN_MAPPING))}
"""Those that cannot be told by their content."""
