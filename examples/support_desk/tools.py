"""The desk's tools: what each one takes, and the schema that the model is offered.

Arguments are parsed here, once: the shop works with an `Arguments` of the right kind.
"""

import json
import re
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from tracemill.ingest.trace import ToolSpec
from tracemill.record import Record

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
EUROS = {"EUR": 1.0, "USD": 0.92, "GBP": 1.17, "CHF": 1.05, "JPY": 0.0061, "SEK": 0.088}
"""What one unit of each currency is worth in euros, at the desk's counter."""

_TIME = re.compile(r"(\d{1,2})(?::00)? ?(pm)?", re.IGNORECASE)


class Call(Record):
    """One call of a tool, as people write it down."""

    name: str
    arguments: dict[str, JsonValue]

    @property
    def arguments_text(self) -> str:
        """The arguments as JSON, spaced as the model's chat template spaces them."""
        return json.dumps(self.arguments, ensure_ascii=False)


class RefusedError(Exception):
    """The desk refuses a call; the words are what the tool answers."""


def _day(text: str) -> str:
    name = text.strip().capitalize()
    if name not in DAYS:
        raise ValueError(f"{text!r} is no day of the week")
    return name


def _time(text: str) -> str:
    """`7pm`, `7 PM` and `19:00` are one hour of the evening."""
    match = _TIME.fullmatch(text.strip())
    hour = int(match[1]) if match else 0
    hour -= 12 if hour > 12 else 0
    if not 1 <= hour <= 11:
        raise ValueError(f"{text!r} is no hour of the evening: write it as 7pm")
    return f"{hour}pm"


def _currency(text: str) -> str:
    code = text.strip().upper()
    if code not in EUROS:
        raise ValueError(f"{text!r} is not changed here, only {', '.join(EUROS)}")
    return code


Day = Annotated[str, AfterValidator(_day)]
Time = Annotated[str, AfterValidator(_time)]
Currency = Annotated[str, AfterValidator(_currency)]


class Arguments(BaseModel):
    """What a call gives, in one spelling."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class OneOrder(Arguments):
    """Which order is meant."""

    order: int


class Delivery(Arguments):
    """When an order is to come."""

    order: int
    day: Day


class Booking(Arguments):
    """A table in the store's restaurant."""

    people: int = Field(ge=1)
    day: Day
    time: Time


class Conversion(Arguments):
    """An amount of money in another currency."""

    amount: float = Field(gt=0)
    source: Currency = Field(alias="from")
    target: Currency = Field(alias="to")


ARGUMENTS: dict[str, type[Arguments]] = {
    "status": OneOrder,
    "cancel": OneOrder,
    "refund": OneOrder,
    "reschedule": Delivery,
    "book": Booking,
    "convert": Conversion,
}
_DESCRIPTIONS = {
    "status": "Tell how far an order is.",
    "cancel": "Cancel an order that has not left the warehouse.",
    "refund": "Pay back an order that was delivered.",
    "reschedule": "Move the delivery of an order to another day.",
    "book": "Book a table in the store's restaurant.",
    "convert": "Convert an amount of money at the desk's rates.",
}


def _schema(arguments: type[Arguments]) -> dict[str, JsonValue]:
    """The JSON schema without titles and bounds: names, types and what is required."""
    full: dict[str, Any] = arguments.model_json_schema(by_alias=True)
    return {
        "type": "object",
        "properties": {name: {"type": field["type"]} for name, field in full["properties"].items()},
        "required": full["required"],
        "additionalProperties": False,
    }


TOOLS = tuple(
    ToolSpec(name=name, description=_DESCRIPTIONS[name], parameters=_schema(arguments))
    for name, arguments in ARGUMENTS.items()
)


def parse_arguments(tool: str, arguments: dict[str, JsonValue]) -> Arguments:
    """Return the arguments of a call of this tool.

    Raises RefusedError, in words for the model, where there is no such tool or they do not fit.
    """
    if tool not in ARGUMENTS:
        raise RefusedError(f"there is no tool {tool!r}, only {', '.join(ARGUMENTS)}")
    try:
        return ARGUMENTS[tool].model_validate(arguments)
    except ValidationError as error:
        raise RefusedError(f"{tool}: {'; '.join(map(_in_words, error.errors()))}") from None


def _in_words(error: Any) -> str:
    name = ".".join(map(str, error["loc"]))
    if error["type"] == "missing":
        return f"{name} is missing"
    if error["type"] == "extra_forbidden":
        return f"{name} is not an argument"
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    return f"{name}: {error['msg'].lower()}"
