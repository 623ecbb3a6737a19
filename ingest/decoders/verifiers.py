"""verifiers' `traces.jsonl`: one rollout episode a line, each agent's messages as a graph.

Every path from a root of the graph to a leaf is one conversation, as it is one training sample
there. Source: verifiers 0.4.0, `verifiers.v1` (trace schema 1).
"""

from collections.abc import Iterator
from typing import Any

from tracemill.errors import InvalidRecordError
from tracemill.ingest.decoded import Context, Decoded, Episode
from tracemill.ingest.decoders.chat import episode, usual_mapping
from tracemill.ingest.finish import finish_reason
from tracemill.ingest.messages import read_messages
from tracemill.ingest.trace import Message, Step

Fields = dict[str, Any]


def is_verifiers(value: Fields) -> bool:
    """Whether it is an episode of verifiers: the environment's name and the agents' traces."""
    return isinstance(value.get("env"), dict) and isinstance(value.get("traces"), list)


def decode_verifiers(value: Fields, context: Context) -> Decoded:
    """Return one trace for each agent and path of messages.

    A rollout that ended before its first message holds nothing to read: it is counted as ignored.
    """
    decoded = Decoded("verifiers")
    for index, told in enumerate(value["traces"]):
        with decoded.part(f"traces[{index}]"):
            paths = list(_paths(told["nodes"]))
            decoded.ignored += not paths
            for number, path in enumerate(paths):
                id_ = told["id"] if len(paths) == 1 else f"{told['id']}-{number}"
                decoded.episodes.append(_episode(told, path, id_, context))
    return decoded


def _paths(nodes: list[Fields]) -> Iterator[list[int]]:
    """The nodes of each path from a root to a leaf; InvalidRecordError where one goes round."""
    parents = {node.get("parent") for node in nodes}
    for index, node in enumerate(nodes):
        if (parent := node.get("parent")) is not None and not 0 <= parent < index:
            raise InvalidRecordError(f"message {index} follows message {parent!r}, no earlier one")
    for leaf in range(len(nodes)):
        if leaf not in parents:
            path = [leaf]
            while (parent := nodes[path[-1]].get("parent")) is not None:
                path.append(parent)
            yield path[::-1]


def _episode(told: Fields, path: list[int], id_: str, context: Context) -> Episode:
    messages: list[Message] = []
    steps: list[Step] = []
    calls = {call.get("node"): call for call in told.get("calls") or ()}
    for node in path:
        read = read_messages([told["nodes"][node]["message"]])
        if len(read) == 1 and node in calls:
            steps.append(_step(calls[node], len(messages)))
        messages += read
    error = _error(told)
    models = [calls[node]["model"] for node in path if node in calls and "model" in calls[node]]
    flat = {
        "id": id_,
        "model": models[-1] if models else None,
        "agent": (told.get("agent") or {}).get("name"),
        "task": _task(told.get("task") or {}),
        "reward": None if error else _reward(told.get("rewards") or {}),
        "error": error,
        "tools": told["nodes"][path[0]].get("tools") or told.get("tools") or [],
        **_times(told.get("timing") or {}),
    }
    made = episode(flat, tuple(messages), usual_mapping(flat), context, "verifiers")
    is_truncated = bool(steps) and steps[-1].finish_reason == "length"
    update = {"steps": tuple(steps), "is_truncated": is_truncated}
    return made._replace(trace=made.trace.model_copy(update=update))


def _step(call: Fields, message: int) -> Step:
    """What the call took; cached tokens are left out of verifiers' own prompt tokens."""
    usage = call.get("usage") or {}
    prompt = usage.get("prompt_tokens")
    return Step(
        message=message,
        prompt_tokens=None if prompt is None else prompt + (usage.get("cached_input_tokens") or 0),
        completion_tokens=usage.get("completion_tokens"),
        finish_reason=finish_reason(call.get("finish_reason")),
    )


def _task(task: Fields) -> str | None:
    return task.get("key") or task.get("hash")


def _reward(rewards: dict[str, Fields | None]) -> float | None:
    """The share of what the rewards' weights allow; None where one of them was not measured."""
    found = [reward for reward in rewards.values() if reward is not None]
    most = sum(max(0.0, reward.get("weight", 1.0)) for reward in found)
    if len(found) < len(rewards) or most <= 0:
        return None
    return float(sum(reward["score"] * reward.get("weight", 1.0) for reward in found) / most)


def _error(told: Fields) -> str | None:
    """What failed in a rollout that did not end well, the last of it."""
    if told.get("ok", True):
        return None
    errors = told.get("errors") or ()
    if errors:
        return f"{errors[-1].get('type')}: {errors[-1].get('message')}"
    return "timeout" if told.get("is_timeout") else "the rollout did not complete"


def _times(timing: Fields) -> Fields:
    return {
        "started_at": timing.get("start"),
        "ended_at": (timing.get("agent") or {}).get("end") or None,
    }
