"""Transcript: the one conversation that the model calls of an agent tell over and over.

Each call carries the whole history before it, so the transcript is the last call's input and
output. Only where an earlier call is no beginning of the next (the context was trimmed) are the
messages that were lost put back.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tracemill.ingest.dialects.attributes import value_of
from tracemill.ingest.dialects.dialect import Conversation, ToolRun, is_continued
from tracemill.ingest.linking import Linked, is_numbered, linked_calls, result_of
from tracemill.ingest.trace import Message, ToolCall
from tracemill.ingest.tree import Node

Key = tuple[object, ...]


class Turn(NamedTuple):
    """A model call, read."""

    node: Node
    conversation: Conversation
    earlier: tuple[tuple[Node, tuple[Message, ...]], ...] = ()
    """Calls whose whole history this one repeats, with what they answered."""


class Transcript(NamedTuple):
    """The messages, and which of them each model call wrote."""

    messages: tuple[Message, ...]
    written_by: dict[int, Node]
    """Index of an assistant message → the call that wrote it."""
    is_truncated: bool
    calls: tuple[Node, ...] = ()
    """The model calls that belong to it."""
    others: tuple[tuple[Node, ...], ...] = ()
    """The calls of each other conversation: they share no message with this one."""


def transcribe(
    calls: Sequence[Node], tools: Sequence[Node], within: Node | None = None
) -> Transcript:
    """Return the conversation of these model calls, with the results of these tool calls.

    Nothing is taken from above `within`, which is another agent's.
    """
    threads = _threads(_read([node for node in calls if node.dialect is not None]))
    turns = _main_thread(threads)
    messages: tuple[Message, ...] = ()
    for turn in turns:
        messages = stitch(messages, turn.conversation)
    if turns and not any(message.role == "system" for message in messages):
        messages = _instructions(turns[0].node, within) + messages
    completed = tuple(_with_results(linked_calls(messages), tools))
    return Transcript(
        completed,
        _writers(completed, turns),
        any(turn.conversation.is_truncated for turn in turns),
        _calls(turns),
        tuple(_calls(thread) for thread in threads if thread is not turns),
    )


def _instructions(node: Node, within: Node | None) -> tuple[Message, ...]:
    """Return the system messages that only an agent's or workflow's own span holds."""
    for above in node.ancestors:
        if above.dialect is not None and above.kind in ("agent", "other"):
            told = above.dialect.conversation(above.span).input
            if system := tuple(message for message in told if message.role == "system"):
                return system
        if above is within:
            break
    return ()


def _read(calls: Sequence[Node]) -> list[Turn]:
    """Read the calls, but of those whose history a later one repeats the answers only."""
    turns: list[Turn] = []
    places = {node.span.span_id: place for place, node in enumerate(calls)}
    repeated: defaultdict[int, list[int]] = defaultdict(list)
    for place, node in enumerate(calls):
        dialect = node.dialect
        if dialect is None:
            continue
        again = _repeated_at(place, calls, places)
        if dialect.answer is not None and again is not None:
            repeated[again] += [*repeated.pop(place, ()), place]
        else:
            earlier = tuple(_answered(calls[one]) for one in repeated.pop(place, ()))
            turns.append(Turn(node, dialect.conversation(node.span), earlier))
    return turns


def _answered(call: Node) -> tuple[Node, tuple[Message, ...]]:
    answer = None if call.dialect is None else call.dialect.answer
    return call, () if answer is None else answer(call.span)


def _repeated_at(place: int, calls: Sequence[Node], places: Mapping[str, int]) -> int | None:
    """Return the place of the later call whose history begins with this one's, letter for letter."""
    node, following = calls[place], place + 1
    if node.dialect is None or node.dialect.history is None or following >= len(calls):
        return None
    if node.span.repeated_in is not None:
        named = places.get(node.span.repeated_in, following)
        return named if named > place else following
    later, history = calls[following], node.dialect.history
    is_repeated = later.dialect is node.dialect and is_continued(
        node.span.attributes.get(history), later.span.attributes.get(history)
    )
    return following if is_repeated else None


def _threads(turns: Sequence[Turn]) -> list[list[Turn]]:
    """Return the turns of each conversation among them.

    A call that shares no message with those before it (a router, a title) begins another.
    """
    if len(turns) < 2:
        return [list(turns)]
    threads: list[tuple[list[Turn], set[Key]]] = []
    for turn in turns:
        keys = _marks(turn.conversation)
        for thread, known in reversed(threads):
            if keys & known or not turn.conversation.input:
                thread.append(turn)
                known.update(keys)
                break
        else:
            threads.append(([turn], keys))
    return [thread for thread, _ in threads]


def _main_thread(threads: Sequence[list[Turn]]) -> list[Turn]:
    """Return the conversation that most calls belong to, of equals the last."""
    # max keeps the first of equals, and the last is wanted
    return max(reversed(threads), key=lambda thread: len(_calls(thread)))


def _calls(turns: Sequence[Turn]) -> tuple[Node, ...]:
    return tuple(
        node for turn in turns for node in (*(earlier for earlier, _ in turn.earlier), turn.node)
    )


def _marks(told: Conversation) -> set[Key]:
    """Return what shows that a call belongs to a conversation: its messages, and ids of calls."""
    marks: set[Key] = set()
    for message in (*told.input, *told.output):
        if message.role != "system":
            marks.add(_key(message))
        marks.update(("call", call.id) for call in message.tool_calls if call.id)
        if message.tool_call_id:
            marks.add(("call", message.tool_call_id))
    return marks


def stitch(known: tuple[Message, ...], told: Conversation) -> tuple[Message, ...]:
    """Return what is known and what a later call tells, each message once.

    A call repeats the history, or asks again from a point in it (then its answer replaces what
    came after), or repeats it trimmed, or not at all (then what comes after the last message
    that is known is new).
    """
    if not told.input or not known:
        return known + told.input + told.output
    before = [_key(message) for message in known]
    asked = [_key(message) for message in told.input]
    if before == asked[: len(before)] or asked == before[: len(asked)]:
        return told.input + told.output
    repeated = set(before)
    last = max((i for i, key in enumerate(asked) if key in repeated), default=-1)
    return known + told.input[last + 1 :] + told.output


def _key(message: Message) -> Key:
    """What makes two messages the same: not ids, which some dialects leave out."""
    calls = [(call.name, call.arguments) for call in message.tool_calls]
    return message.role, message.content or "", tuple(calls)


def _with_results(linked: Linked, tools: Sequence[Node]) -> list[Message]:
    """Put in the results that only tool spans know, and what spans say of failure."""
    call_ids = [(value_of(node.span, "call_id"), node) for node in tools]
    by_id = {call_id: node for call_id, node in call_ids if call_id}
    answered = {
        message.tool_call_id if call is None else call.id
        for message, call in zip(*linked, strict=True)
        if message.role == "tool"
    }
    names = {call.id: call.name for message in linked.messages for call in message.tool_calls}
    unnamed = [node for call_id, node in call_ids if _is_free(call_id, names)]
    completed: list[Message] = []
    for message, answers in zip(*linked, strict=True):
        if message.role == "tool":
            completed.append(_judged(message, answers, by_id, unnamed))
            continue
        completed.append(message)
        for call in message.tool_calls:
            if call.id not in answered:
                completed += _missing(call, by_id.get(call.id) or _take_named(call.name, unnamed))
    return completed


def _judged(
    result: Message, call: ToolCall | None, by_id: Mapping[str, Node], unnamed: list[Node]
) -> Message:
    """Return a result with its call's id and name, and whether its span failed."""
    name = call.name if call else ""
    node = by_id.get(call.id if call else result.tool_call_id or "") or _take_named(name, unnamed)
    is_error = result.is_error if node is None or result.is_error is not None else _failed(node)
    if call is not None:
        return result_of(call, result, is_error)
    return result.model_copy(update={"is_error": is_error})


def _is_free(call_id: Any, names: Mapping[str, str]) -> bool:
    """Whether a tool span of this call id is of none of the calls, so that its name may tell.

    Google ADK gives calls ids that its spans have, and takes them out of the history again.
    """
    return call_id is None or (call_id not in names and any(is_numbered(id_) for id_ in names))


def _take_named(name: str, unnamed: list[Node]) -> Node | None:
    """Take the first tool span without a call id that ran the tool of this name."""
    for node in unnamed:
        if name and name in (value_of(node.span, "tool_name"), node.span.name):
            unnamed.remove(node)
            return node
    return None


def _failed(node: Node) -> bool:
    return node.span.error is not None or value_of(node.span, "error_type") is not None


def _missing(call: ToolCall, node: Node | None) -> list[Message]:
    if node is None or node.dialect is None:
        return []
    run: ToolRun = node.dialect.tool_run(node.span)
    failed = _failed(node)
    content = run.result
    if content is None:
        content = _exception(node) if failed else ""
    message = Message(
        role="tool", content=content, tool_call_id=call.id, name=call.name, is_error=failed
    )
    return [message]


def _exception(node: Node) -> str:
    for event in node.span.events:
        if event.name == "exception" and event.attributes.get("exception.message"):
            return str(event.attributes["exception.message"])
    return str(node.span.error or value_of(node.span, "error_type"))


def _writers(messages: Sequence[Message], turns: Sequence[Turn]) -> dict[int, Node]:
    """Match each call's answer to the next assistant message that says the same."""
    answers = [
        answer
        for turn in turns
        for answer in (*turn.earlier, (turn.node, turn.conversation.output))
    ]
    answers.sort(key=lambda answer: (answer[0].span.start_ns, answer[0].span.span_id))
    said = [(i, _key(message)) for i, message in enumerate(messages) if message.role == "assistant"]
    writers: dict[int, Node] = {}
    position = 0
    for node, answer in answers:
        wanted = _key(answer[0]) if answer else None
        for place in range(position, len(said)):
            index, key = said[place]
            if key == wanted:
                writers[index] = node
                position = place + 1
                break
    return writers
