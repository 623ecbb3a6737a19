"""Lists that are flattened into attribute names: `llm.input_messages.0.message.role`."""

from collections.abc import Mapping
from typing import Any


def nested(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Return what lies under the prefix, as lists (in order of their numbers) and objects.

    Numbers are sorted as numbers, and gaps closed. None if nothing lies there.

    >>> nested({"m.10.role": "b", "m.2.role": "a", "m.2.parts.0.text": "t"}, "m")
    [{'role': 'a', 'parts': [{'text': 't'}]}, {'role': 'b'}]
    """
    tree: dict[str, Any] = {}
    start = prefix + "."
    for name, value in attributes.items():
        if name.startswith(start):
            _put(tree, name[len(start) :].split("."), value)
    return _listed(tree) if tree else None


def has_gap(attributes: Mapping[str, Any], prefix: str) -> bool:
    """Whether elements under the prefix are missing: a limit of attributes cut them off."""
    start = prefix + "."
    numbers = {
        int(number)
        for name in attributes
        if name.startswith(start) and (number := name[len(start) :].partition(".")[0]).isdigit()
    }
    return bool(numbers) and len(numbers) != max(numbers) + 1


def _put(tree: dict[str, Any], path: list[str], value: Any) -> None:
    *parents, last = path
    for name in parents:
        below = tree.get(name)
        if not isinstance(below, dict):
            below = tree[name] = {}
        tree = below
    tree[last] = value


def _listed(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    if all(name.isdigit() for name in tree):
        return [_listed(tree[name]) for name in sorted(tree, key=int)]
    return {name: _listed(value) for name, value in tree.items()}
