"""FieldMapping: where a team's own JSON keeps what a trace (or feedback) needs.

A path is dotted (`info.task.user_id`); a number picks an element of a list (`choices.0`). A
mapping is part of the settings, so no code is needed for one more JSON of one's own.
"""

from tracemill.record import Record


class TurnMapping(Record):
    """Dotted paths to lists that stand side by side, an element for each turn."""

    actions: str
    """A list of what the agent did."""
    observations: str | None = None
    """A list of what each action gave back."""
    request: str | None = None
    """What the user asked for."""
    tool: str | None = None
    """Name of the tool that each action was given to; None: actions were said to the user."""
    argument: str = "input"
    """Name of the tool's argument that the action was."""


class FieldMapping(Record):
    """Dotted paths into one JSON record. What is not named is not read."""

    records: str | None = None
    """A list of episodes within one record, or an object of them; "*" if it is the record itself.

    The other paths are then of an element; those that begin with "^." are of the record around it.
    """
    id: str | tuple[str, ...] | None = None
    """Of the trace; several are joined with "-". None: a hash of the record's content."""
    messages: str = "messages"
    """OpenAI chat messages."""
    turns: TurnMapping | None = None
    """Where there are no messages, but lists of actions and observations."""
    reward: str | None = None
    max_reward: float = 1.0
    """The reward is divided by this, so that it lies between 0 and 1."""
    label: str | None = None
    error: str | None = None
    """The harness's or provider's failure, where it is not empty."""
    task: str | None = None
    user: str | None = None
    tenant: str | None = None
    """The customer that the user belongs to."""
    session: str | None = None
    agent: str | None = None
    model: str | None = None
    model_version: str | None = None
    started_at: str | None = None
    """ISO 8601, or seconds, milliseconds or nanoseconds since 1970; None: the record's time."""
    ended_at: str | None = None
    tools: str | None = None
    """OpenAI function specs."""
    expected_calls: str | None = None
    """A list of {name, arguments} or {name, kwargs}."""
    environment_state: str | None = None


class FeedbackMapping(Record):
    """Dotted paths into one JSON record that says something of a trace."""

    target: str
    """The id it names: of a trace, span, run, response or session, or the application's own."""
    id: str | tuple[str, ...] | None = None
    """None: a hash of the record's content."""
    name: str | None = None
    """None: the topic's name."""
    score: str | None = None
    max_score: float = 1.0
    """The score is divided by this, so that it lies between 0 (bad) and 1 (good)."""
    label: str | None = None
    comment: str | None = None
    correction: str | None = None
    step: str | None = None
    created_at: str | None = None
    retracted: str | None = None
