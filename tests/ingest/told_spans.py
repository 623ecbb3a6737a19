"""What the recordings of LangSmith's wrappers and of the Vercel AI SDK (OpenInference's) say."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from tests.ingest.told import Told, moment, openai, said, texts


def langsmith(folder: Path) -> Iterator[Told]:
    """Each file is one model call: its beginning is posted, its end patched."""
    for path in sorted(folder.glob("langsmith-fixtures/**/langsmith_*.json")):
        batch = orjson.loads(path.read_bytes())
        (begun,), (ended,) = batch["post"], batch["patch"]
        outputs = ended["outputs"]
        choice, usage = outputs["choices"][0], outputs.get("usage_metadata") or {}
        finish = choice["finish_reason"]
        messages = [
            openai(message) for message in (*begun["inputs"]["messages"], choice["message"])
        ]
        yield {
            "id": begun["trace_id"],
            "model": outputs["model"],
            "started_at": _time(begun["start_time"]),
            "ended_at": _time(ended["end_time"]),
            "tools": [],
            "messages": messages,
            "steps": {
                len(messages) - 1: {
                    "started_at": _time(begun["start_time"]),
                    "ended_at": _time(ended["end_time"]),
                    "prompt_tokens": usage.get("input_tokens"),
                    "completion_tokens": usage.get("output_tokens"),
                    "finish_reason": finish["finish_reason"]
                    if isinstance(finish, dict)
                    else finish,
                }
            },
        }


def _time(value: str | int) -> datetime:
    return moment(value) if isinstance(value, str) else datetime.fromtimestamp(value / 1000, UTC)


def vercel(folder: Path) -> Iterator[Told]:
    """Each span has a trace of its own here; a file may repeat those of the others."""
    seen: set[str] = set()
    for path in sorted(folder.glob("openinference-fixtures/**/v6-spans/a*.json")):
        for span in orjson.loads(path.read_bytes()):
            trace_id = span["spanContext"]["traceId"]
            is_call = span["attributes"]["ai.operationId"].startswith(("ai.generate", "ai.stream"))
            if is_call and trace_id not in seen:
                seen.add(trace_id)
                yield _vercel(trace_id, span)


def _vercel(trace_id: str, span: Any) -> Told:
    named = span["attributes"]
    asked = _asked(named)
    answer = named.get("ai.response.text") or named["ai.response.object"]
    times = {"started_at": _pair(span["startTime"]), "ended_at": _pair(span["endTime"])}
    prompt, completion = (
        named.get(f"ai.usage.{old}", named.get(f"ai.usage.{new}"))
        for old, new in (("promptTokens", "inputTokens"), ("completionTokens", "outputTokens"))
    )
    return {
        "id": trace_id,
        "agent": named["ai.telemetry.functionId"],
        "model": named.get("ai.response.model", named["ai.model.id"]),
        "tools": [],
        "messages": [*asked, said("assistant", answer)],
        "steps": {
            len(asked): {
                **times,
                "prompt_tokens": prompt,
                "completion_tokens": completion,
                "finish_reason": named["ai.response.finishReason"],
            }
        },
        **times,
    }


def _asked(named: Any) -> list[Told]:
    if "ai.prompt.messages" in named:
        messages = orjson.loads(named["ai.prompt.messages"])
    else:
        prompt = orjson.loads(named["ai.prompt"])
        messages = prompt.get("messages") or [{"role": "user", "content": prompt["prompt"]}]
    return [said(message["role"], texts(message["content"])) for message in messages]


def _pair(time: list[int]) -> datetime:
    return datetime.fromtimestamp((time[0] * 10**9 + time[1]) // 1000 / 1e6, UTC)
