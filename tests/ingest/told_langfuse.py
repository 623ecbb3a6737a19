"""What the recordings of frameworks in Langfuse's export say: each keeps messages in its own way."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from tests.ingest.reading import redactor
from tests.ingest.told import Told, called, moment, openai, said, tool_of

NO_ERROR = {"is_error": False}
"""A tool's own span is there, and is no error."""


def langfuse(folder: Path) -> Iterator[Told]:
    """One for each trace; two recordings of pydantic-ai are of one."""
    told = {one["id"]: one for _, one in langfuse_files(folder)}
    yield from told.values()


def langfuse_files(folder: Path) -> Iterator[tuple[Path, Told]]:
    """Each file and what it says."""
    for path in sorted(folder.glob("langfuse-framework-traces/**/*.trace.json")):
        export = orjson.loads(path.read_bytes())
        name = path.name.partition(".trace")[0].rstrip("-0123456789").removesuffix("-tools")
        yield path, _told(name, export["trace"], export["observations"])


def _told(framework: str, trace: Any, observations: list[Any]) -> Told:
    ordered = sorted(observations, key=lambda o: (o["startTime"], o["id"]))
    outer = {"ai.generateText"}  # repeats the call within
    calls = [o for o in ordered if o["type"] == "GENERATION" and o["name"] not in outer]
    messages = MESSAGES[framework](calls, ordered)
    spoken = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    return {
        "id": trace["id"],
        "agent": _original(ordered, "gen_ai.agent.name") or trace["name"],
        "session": trace["sessionId"] or _session(ordered),
        "user": redactor().pseudonym(trace["userId"]) if trace["userId"] else None,
        "model": _original(calls[-1:], "gen_ai.response.model") or calls[-1]["model"],
        "tools": TOOLS.get(framework, lambda _: [])(calls[-1]),
        "started_at": min(moment(o["startTime"]) for o in observations),
        "ended_at": max(moment(o["endTime"]) for o in observations if o["endTime"]),
        "has_content": True,
        "messages": messages,
        "steps": {
            index: {
                "started_at": moment(call["startTime"]),
                "ended_at": moment(call["endTime"]),
                **_tokens(call["usageDetails"]),
                "cost_usd": call["costDetails"]["total"],
            }
            for index, call in zip(spoken, calls, strict=True)
        },
    }


def _tokens(usage: dict[str, int]) -> Told:
    """What was read or written in other ways (from a cache, as reasoning) may be left out of
    input and output: then the parts, and not the two, add up to the total."""
    prompt, completion = (
        sum(count for key, count in usage.items() if key.startswith(side))
        for side in ("input", "output")
    )
    assert prompt + completion == usage["total"]
    return {"prompt_tokens": prompt, "completion_tokens": completion}


def _original(observations: Sequence[Any], name: str) -> Any:
    """An attribute of the original spans, the first that is there."""
    found = (_metadata(o).get("attributes", {}).get(name) for o in observations)
    return next((value for value in found if value is not None), None)


def _session(observations: Sequence[Any]) -> Any:
    threads = (_metadata(o).get("thread_id") for o in observations)
    names = ("gen_ai.conversation.id", "session.id", "langsmith.metadata.session_id")
    found = [*(_original(observations, name) for name in names), *threads]
    return next((value for value in found if value), None)


def _metadata(observation: Any) -> Any:
    metadata = observation["metadata"] or {}
    return orjson.loads(metadata) if isinstance(metadata, str) else metadata


def _value(side: str, observation: Any) -> Any:
    return orjson.loads(observation[side])


def _autogen(calls: list[Any], _: list[Any]) -> list[Told]:
    system, user = calls[-1]["input"].removeprefix("system: ").split("\nuser: ")
    return [said("system", system), said("user", user), said("assistant", calls[-1]["output"])]


def _claude_agent(calls: list[Any], everything: list[Any]) -> list[Told]:
    """Each call has only what it answered; results lie in the tools' spans, in their order."""
    whole = next(o for o in everything if o["name"] == "claude.conversation")
    tools = [o for o in everything if o["type"] == "TOOL"]
    messages = [said("system", _value("input", whole)["system"])]
    messages.append(said("user", _value("input", calls[0])["content"]))
    for call in calls:
        (block,) = _value("output", call)["content"]
        if block["type"] == "text":
            messages.append(said("assistant", block["text"]))
            continue
        use = called(block["name"], block["input"], block["id"])
        (result,) = _value("output", tools.pop(0))["content"]
        messages.append(said("assistant", None, use))
        messages.append(said("tool", result["text"], call_id=block["id"], **NO_ERROR))
    return messages


def _crewai(calls: list[Any], _: list[Any]) -> list[Told]:
    asked = [openai(message) for message in _value("input", calls[-1])["messages"]]
    return [*asked, said("assistant", calls[-1]["output"])]


def _google_adk(calls: list[Any], _: list[Any]) -> list[Told]:
    """Calls have no ids: the one result is that of the one call."""
    request, answer = _value("input", calls[-1]), _value("output", calls[-1])
    messages = [said("system", request["config"]["system_instruction"])]
    for content in (*request["contents"], answer["content"]):
        (part,) = content["parts"]
        if use := part.get("function_call"):
            messages.append(said("assistant", None, called(use["name"], use["args"])))
        elif result := part.get("function_response"):
            text = orjson.dumps(result["response"]).decode()
            messages.append(said("tool", text, answers=[2, 0], **NO_ERROR))
        else:
            role = {"model": "assistant"}.get(content["role"], content["role"])
            messages.append(said(role, part["text"]))
    return messages


def _langgraph(calls: list[Any], _: list[Any]) -> list[Told]:
    """A tool's role may be its name, and the schemas of tools stand among the messages."""
    answer = _value("output", calls[-1])
    messages: list[Told] = []
    for message in (*_value("input", calls[-1]), answer):
        if isinstance(message["content"], dict):
            continue
        uses = message.get("tool_calls") or message.get("additional_kwargs", {}).get("tool_calls")
        if message["role"] in ("user", "assistant"):
            messages.append(openai({**message, "tool_calls": uses}))
        else:
            (use,) = messages[-1]["calls"]
            messages.append(said("tool", message["content"], call_id=use["id"], is_error=None))
    return messages


def _microsoft_agent(calls: list[Any], everything: list[Any]) -> list[Told]:
    """The instructions are the agent's; a call has only what is new."""
    agent = next(o for o in everything if o["type"] == "AGENT")
    told = [_value("input", agent)[0]]
    told += [m for call in calls for m in (*_value("input", call), *_value("output", call))]
    messages = []
    for message in told:
        (part,) = message["parts"]
        match part["type"]:
            case "text":
                messages.append(said(message["role"], part["content"]))
            case "tool_call":
                use = called(part["name"], part["arguments"], part["id"])
                messages.append(said("assistant", None, use))
            case _:
                given = {"call_id": part["id"], **NO_ERROR}
                messages.append(said("tool", part["response"], **given))
    return messages


def _openai_agents(calls: list[Any], _: list[Any]) -> list[Told]:
    answer = _value("output", calls[-1])
    messages = [said("system", answer["instructions"])]
    for item in (*_value("input", calls[-1]), *answer["output"]):
        match item.get("type"):
            case "function_call":
                use = called(item["name"], item["arguments"], item["call_id"])
                messages.append(said("assistant", None, use))
            case "function_call_output":
                given = {"call_id": item["call_id"], **NO_ERROR}
                messages.append(said("tool", item["output"], **given))
            case "message":
                messages.append(said("assistant", item["content"][0]["text"]))
            case _:
                messages.append(said(item["role"], item["content"]))
    return messages


def _pydantic_ai(calls: list[Any], _: list[Any]) -> list[Told]:
    asked = [said(m["role"], m["content"]) for m in _value("input", calls[-1])]
    return [*asked, said("assistant", _value("output", calls[-1])["message"]["content"])]


def _vercel(calls: list[Any], everything: list[Any]) -> list[Told]:
    """The run ended with the call; its result lies in the tool's span."""
    (asked,), (use,) = _value("input", calls[-1]), _value("output", calls[-1])
    tool = next(o for o in everything if o["type"] == "TOOL")
    return [
        said("user", asked["content"][0]["text"]),
        said("assistant", None, called(use["toolName"], use["input"], use["toolCallId"])),
        said("tool", tool["output"], call_id=use["toolCallId"], **NO_ERROR),
    ]


MESSAGES: dict[str, Callable[[list[Any], list[Any]], list[Told]]] = {
    "autogen": _autogen,
    "claude-agent": _claude_agent,
    "crewai": _crewai,
    "google-adk": _google_adk,
    "langgraph-js": _langgraph,
    "langgraph-python": _langgraph,
    "microsoft-agent": _microsoft_agent,
    "openai-agents": _openai_agents,
    "pydantic-ai": _pydantic_ai,
    "vercel-aisdk": _vercel,
}
TOOLS: dict[str, Callable[[Any], list[Told]]] = {
    "google-adk": lambda call: [
        tool_of(function)
        for group in _value("input", call)["config"]["tools"]
        for function in group["function_declarations"]
    ],
    "langgraph-python": lambda call: [
        tool_of(message["content"]["function"])
        for message in _value("input", call)
        if isinstance(message["content"], dict)
    ],
    "microsoft-agent": lambda call: [
        tool_of(tool["function"])
        for tool in orjson.loads(_original([call], "gen_ai.tool.definitions"))
    ],
    "openai-agents": lambda call: [tool_of(tool) for tool in _value("output", call)["tools"]],
    "vercel-aisdk": lambda call: [
        tool_of({**tool, "parameters": tool["inputSchema"]})
        for tool in map(orjson.loads, _metadata(call)["tools"])
    ],
}
"""Framework → where its last call keeps the tools that were offered; the others keep none."""
