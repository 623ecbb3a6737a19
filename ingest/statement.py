"""SQL beside the module that asks: one question a file, parameters bound."""

from functools import cache
from pathlib import Path


@cache
def statement(beside: str, name: str) -> str:
    """Return the text of `name`.sql in the folder of the file `beside` (a module's `__file__`).

    Raises FileNotFoundError if there is no such file.
    """
    return (Path(beside).parent / f"{name}.sql").read_text(encoding="utf-8")
