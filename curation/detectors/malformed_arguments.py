"""Malformed arguments: the agent wrote a call whose arguments are no JSON object."""

from collections.abc import Iterator

from tracemill.curation.detectors.reading import Claim, Reading


def find_malformed_arguments(reading: Reading) -> Iterator[Claim]:
    """Yield one claim for each such call; what was cut at a token limit is not one."""
    for made in reading.calls:
        if made.arguments is None and made.step not in reading.cut_steps:
            form = _form(made.call.arguments)
            text = f"{made.call.name}: the arguments are {form}"
            yield Claim(made.step, text, made.call.arguments, made.call.name)


def _form(arguments: str) -> str:
    """What they are instead, in words."""
    stripped = arguments.strip()
    if not stripped:
        return "empty"
    if stripped.startswith("{") and "'" in stripped and '"' not in stripped:
        return "a Python dict, not JSON"
    if stripped.startswith("{") and not stripped.endswith("}"):
        return "JSON that breaks off"
    return "no JSON object"
