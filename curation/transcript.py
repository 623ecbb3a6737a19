"""Transcript: messages as a person reads them."""

from collections.abc import Sequence

from tracemill.ingest.trace import Message, SubAgent, Trace

_MOST = 4000


def in_words(message: Message) -> str:
    """Return the message's text and calls, without its role."""
    calls = [f"→ {call.name}({call.arguments})" for call in message.tool_calls]
    text = "\n".join(filter(None, [message.content, *calls])) or "(nothing)"
    return text if len(text) <= _MOST else f"{text[:_MOST]}… ({len(text) - _MOST} characters more)"


def transcript(messages: Sequence[Message]) -> str:
    """Return the conversation, a paragraph for each message under its number and role."""
    return "\n\n".join(
        f"[{step} {message.role}] {in_words(message)}" for step, message in enumerate(messages)
    )


def whole_transcript(trace: Trace) -> str:
    """Return the main agent's conversation, and after it its sub-agents', each under its name."""
    parts = [transcript(trace.messages), *(_nested(agent, 1) for agent in trace.sub_agents)]
    return "\n\n".join(filter(None, parts))


def _nested(agent: SubAgent, level: int) -> str:
    under = "" if agent.tool_call_id is None else f", called by {agent.tool_call_id}"
    failed = "" if agent.error is None else f", failed: {agent.error[:_MOST]}"
    parts = [
        f"{'>' * level} {agent.agent}{under}{failed}",
        transcript(agent.messages),
        *(_nested(below, level + 1) for below in agent.sub_agents),
    ]
    return "\n\n".join(filter(None, parts))
