"""All dialects in which the conversation is written, by the name that the trace must bear."""

from collections.abc import Callable

from tests.ingest.conversation_frameworks import google_adk, pydantic_ai, vercel
from tests.ingest.conversation_records import (
    anthropic,
    langfuse_batch,
    langsmith,
    mlflow,
    openai_chat,
    openai_responses,
    sharegpt,
)
from tests.ingest.conversation_spans import (
    genai_a,
    genai_b_logs,
    genai_c,
    langfuse_otlp,
    openinference,
    openllmetry,
)

DIALECTS: dict[str, Callable[[], list[bytes]]] = {
    "otel-genai (from v1.37)": genai_c,
    "otel-genai (v1.28 to v1.36, logs)": genai_b_logs,
    "otel-genai (to v1.27, span events)": genai_a,
    "openinference": openinference,
    "openllmetry": openllmetry,
    "langfuse": langfuse_otlp,
    "langfuse (batch)": langfuse_batch,
    "mlflow": mlflow,
    "langsmith": langsmith,
    "vercel-ai": vercel,
    "google-adk": google_adk,
    "pydantic-ai": pydantic_ai,
    "chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "sharegpt": sharegpt,
}
"""Dialect that the trace must name (and a remark) → its records."""
