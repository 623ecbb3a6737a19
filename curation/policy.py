"""Policy: a team's own rules of what its agent may not do, written in the settings."""

from typing import Annotated, Literal

from pydantic import Field

from tracemill.record import Record


class ForbiddenText(Record):
    """The agent may not write what matches this regular expression."""

    kind: Literal["text"] = "text"
    name: str
    pattern: str


class RequiredBefore(Record):
    """`tool` may only be called after a successful call of `first`."""

    kind: Literal["before"] = "before"
    name: str
    tool: str
    first: str


class RequiredConfirmation(Record):
    """`tool` may only be called where the user's last message matches `pattern`."""

    kind: Literal["confirmation"] = "confirmation"
    name: str
    tool: str
    pattern: str = r"\b(?:yes|yeah|yep|ok(?:ay)?|sure|confirm(?:ed)?|please do|go ahead|proceed)\b"


PolicyRule = Annotated[
    ForbiddenText | RequiredBefore | RequiredConfirmation, Field(discriminator="kind")
]
