"""What each wire has no place for, so that the conversation's trace lacks it there.

A pattern of paths → what stands there instead, and why. Messages and steps are named by the index
of their message. What a wire could say and we do not read has no place in this table.
"""

from typing import NamedTuple


class Gap(NamedTuple):
    """A value that a wire cannot carry."""

    instead: object
    """None: nothing stands there."""
    reason: str


Gaps = dict[str, Gap]

NO_COST: Gaps = {"steps.*.cost_usd": Gap(None, "no attribute names the cost of a call")}
NO_TOOLS: Gaps = {"tools.*": Gap(None, "no attribute names the tools that were offered")}
NO_FINISH: Gaps = {
    "steps.*.finish_reason": Gap(
        "unknown", "the answer is a message, and nothing says why it ended"
    )
}
NO_ERROR_FLAG: Gaps = {
    "messages.3.is_error": Gap(None, "a result is a text, and nothing says whether the tool failed")
}
NO_FIRST_STEP: Gaps = {"steps.2.*": Gap(None, "a log holds the last call's response only")}
LAST_WITHOUT_TIMES: Gaps = {
    "steps.4.cost_usd": Gap(None, "responses name tokens, no prices"),
    "steps.4.started_at": Gap(None, "responses do not say when they were asked for"),
    "steps.4.ended_at": Gap(None, "responses do not say when they ended"),
}
NOBODY: Gaps = {
    "session_id": Gap(None, "a rollout or data set is in no session"),
    "user_id": Gap(None, "a rollout or data set has no user"),
    "tenant_id": Gap(None, "a rollout or data set has no customer"),
}
LANGSMITH_ID = Gap("7f3a1c52-e0b9-4d6f-8a2b-6c1d9e0f4a11", "LangSmith's ids are UUIDs")

GAPS: dict[str, Gaps] = {
    "otel-genai (from v1.37)": NO_COST,
    "otel-genai (from v1.37, protobuf)": NO_COST,
    "otel-genai (from v1.37, as SDKs print spans)": NO_COST,
    "otel-genai (from v1.37, content in log records)": NO_COST,
    "otel-genai (v1.28 to v1.36, logs)": NO_COST | NO_TOOLS,
    "otel-genai (v1.28 to v1.36, span events of Strands)": NO_COST | NO_TOOLS,
    "otel-genai (to v1.27, span events)": {
        **NO_COST,
        **NO_TOOLS,
        "messages.3.is_error": Gap(None, "tools have no spans before v1.31"),
        "agent": Gap("shop-agent", "agents have no spans before v1.31: the service's name it is"),
    },
    "openllmetry": NO_COST,
    "otel-genai (openllmetry from 0.55)": NO_COST,
    "langfuse": NO_FINISH,
    "langfuse (batch)": NO_FINISH,
    "langfuse (export)": NO_FINISH,
    "langsmith": {**NO_COST, "id": LANGSMITH_ID},
    "langsmith (export to OTel)": NO_COST,
    "vercel-ai": NO_COST,
    "google-adk": {
        **NO_COST,
        "steps.2.finish_reason": Gap("stop", "Gemini says STOP after calls, too"),
        "user_id": Gap(None, "ADK's spans name the session only"),
        "tenant_id": Gap(None, "ADK's spans name the session only"),
    },
    "otel-genai (pydantic-ai)": NO_COST,
    "pydantic-ai (the run's span alone)": {
        "messages.3.is_error": Gap(None, "the tool's span did not come"),
        "steps.2.*": Gap(None, "the model calls' spans did not come"),
        "steps.4.prompt_tokens": Gap(151, "the run's, as no call's came"),
        "steps.4.completion_tokens": Gap(21, "the run's, as no call's came"),
        "steps.4.started_at": Gap("2025-10-09T08:53:20Z", "the run's, as no call's came"),
        "steps.4.ended_at": Gap("2025-10-09T08:53:25Z", "the run's, as no call's came"),
        "steps.4.cost_usd": Gap(None, "no attribute names the cost of a call"),
        "steps.4.finish_reason": Gap("unknown", "the model calls' spans did not come"),
    },
    "chat": NO_ERROR_FLAG | NO_FIRST_STEP | LAST_WITHOUT_TIMES,
    "mapped": {**NO_ERROR_FLAG, "steps.*": Gap(None, "a mapping names no usage")},
    "openai-responses": NO_ERROR_FLAG | NO_FIRST_STEP | LAST_WITHOUT_TIMES,
    "openai-responses (NeMo Gym)": {
        **NO_ERROR_FLAG,
        **NO_FIRST_STEP,
        **LAST_WITHOUT_TIMES,
        **NOBODY,
        "id": Gap(
            "trace-fbe23ee3e817bb16", "a rollout's ids are those of its task: a hash of its content"
        ),
        "outcome.reward": Gap(1.0, "a rollout has a reward, the others have none"),
        "ended_at": Gap(None, "a response says when it was made, not when it ended"),
    },
    "anthropic": NO_FIRST_STEP | LAST_WITHOUT_TIMES,
    "sharegpt": {
        **NO_ERROR_FLAG,
        **NOBODY,
        "id": Gap("trace-2dc7087b47639354", "a data set has no ids: a hash of how it opens"),
        "messages.2.tool_calls.0.id": Gap("call_2_0", "calls have no ids: their place it is"),
        "messages.3.tool_call_id": Gap("call_2_0", "calls have no ids: their place it is"),
        "agent": Gap("agent", "a data set does not name an agent"),
        "model.name": Gap("unknown", "a data set does not name a model"),
        "started_at": Gap("2026-01-05T10:00:00Z", "a data set has no times: the record's it is"),
        "ended_at": Gap(None, "a data set has no times"),
        "steps.*": Gap(None, "a data set has no usage"),
    },
    "verifiers": {
        **NO_COST,
        **NO_ERROR_FLAG,
        **NOBODY,
        "steps.*.started_at": Gap(None, "a call of a rollout has no times"),
        "steps.*.ended_at": Gap(None, "a call of a rollout has no times"),
    },
}
"""Form (as in DIALECTS) → what its wire lacks; those that are not here lack nothing."""
