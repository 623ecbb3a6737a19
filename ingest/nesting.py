"""Nesting: whose each model call is, the main agent's or that of an agent under it.

Agents lie within the tool calls, or the agents, that called them. So the main agent's calls are the
least deep ones; deeper ones belong to the tool or agent in which they lie, and there again the
least deep are its own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tracemill.ingest.tree import Node, inner_models, outer_model

MOST_NESTED = 8
"""Levels of agents under the main agent; what lies deeper is counted, but not told."""


@dataclass(slots=True, eq=False)
class AgentRun:
    """What one agent did."""

    root: Node | None
    """The tool call or agent in which it lies; None of the main agent."""
    calls: tuple[Node, ...]
    """Its own model calls; where no model call was recorded, its own span."""
    tools: tuple[Node, ...]
    below: tuple["AgentRun", ...] = ()
    is_cut: bool = False
    """Agents under it lie too deep to be told."""


class _Leaf:
    """A model call, or an agent without any, with the tools and agents that it lies within."""

    __slots__ = ("bounds", "depths", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.bounds = [*node.bounds, node] if node.kind == "agent" else node.bounds
        self.depths = _depths(self.bounds)

    @property
    def depth(self) -> int:
        """How many tools and agents, but for the outermost agent, it lies within."""
        return self.depths[-1] if self.depths else 0

    def root_below(self, level: int) -> Node:
        """Return the outermost tool or agent that lies deeper than `level`."""
        return next(
            node for node, depth in zip(self.bounds, self.depths, strict=True) if depth > level
        )


def _depths(bounds: Iterable[Node]) -> list[int]:
    depths, agents, tools = [], 0, 0
    for node in bounds:
        agents += node.kind == "agent"
        tools += node.kind == "tool"
        depths.append(max(0, agents - 1) + tools)
    return depths


def nest(nodes: Sequence[Node], models: Sequence[Node]) -> AgentRun:
    """Return the main agent's run, with those of the agents under it.

    `models` are the model calls among the nodes.
    """
    tools = [node for node in nodes if node.kind == "tool"]
    agents = [node for node in nodes if node.kind == "agent"]
    calls = models or _speaker(agents)
    if len(agents) < 2 and not any(tool.children for tool in tools):
        return AgentRun(None, tuple(calls), tuple(tools))  # as most are
    leaves = [_Leaf(node) for node in calls]
    least = min((leaf.depth for leaf in leaves), default=0)
    silent = [leaf for node in agents if _is_silent(node) and (leaf := _Leaf(node)).depth > least]
    leaves += [
        leaf
        for leaf in silent
        if leaf.node not in calls and (leaf.node.span.error or _says_something(leaf.node))
    ]
    if all(leaf.depth == least for leaf in leaves):
        return AgentRun(None, tuple(calls), tuple(tools))
    leaves.sort(key=lambda leaf: (leaf.node.span.start_ns, leaf.node.span.span_id))
    return _run(None, leaves, tools, MOST_NESTED)


def model_calls(nodes: Iterable[Node]) -> list[Node]:
    """Return the model calls in order, each once.

    Two instrumentations of one call nest: the innermost that captured content counts, and if none
    did, the innermost.
    """
    models = [node for node in nodes if node.kind == "model"]
    if not any(node.children for node in models):
        return models
    outer = {node: outer_model(node) for node in models}
    doubled = {above for above in outer.values() if above is not None}
    if not doubled:
        return models
    told = {n for n, above in outer.items() if (above or n in doubled) and _says_something(n)}
    told_within: set[Node] = set()
    for node in told:
        above = outer[node]
        while above is not None and above not in told_within:
            told_within.add(above)
            above = outer[above]
    kept = (told & doubled) - told_within
    replaced = (doubled - kept).union(*(inner_models(node) for node in kept))
    return [node for node in models if node not in replaced]


def _speaker(agents: Sequence[Node]) -> Sequence[Node]:
    """Return the first agent whose own span tells a conversation, else the first of all."""
    return [node for node in agents if _says_something(node)][:1] or agents[:1]


def _is_silent(node: Node) -> bool:
    """Whether it is an agent's span with no model call or agent within it."""
    return all(below.kind not in ("model", "agent") for below in node.descendants)


def _says_something(node: Node) -> bool:
    """Whether the span's own attributes or events tell messages."""
    told = None if node.dialect is None else node.dialect.conversation(node.span)
    return told is not None and bool(told.input or told.output)


def _run(
    root: Node | None, leaves: Sequence[_Leaf], tools: Sequence[Node], levels: int
) -> AgentRun:
    least = min(leaf.depth for leaf in leaves)
    own = tuple(leaf.node for leaf in leaves if leaf.depth == least)
    deeper: dict[str, list[_Leaf]] = {}
    roots: dict[str, Node] = {}
    for leaf in leaves:
        if leaf.depth > least:
            place = leaf.root_below(least)
            roots[place.span.span_id] = place
            deeper.setdefault(place.span.span_id, []).append(leaf)
    if deeper and not levels:
        return AgentRun(root, own, tuple(tools), is_cut=True)
    owned = _owned(tools, roots)
    below = (
        _run(roots[place], inner, owned.get(place, ()), levels - 1)
        for place, inner in deeper.items()
    )
    return AgentRun(root, own, tuple(owned[""]), tuple(below))


def _owned(tools: Sequence[Node], roots: dict[str, Node]) -> dict[str, list[Node]]:
    """Return the tool calls by the id of the root in which they lie; under "" the others."""
    places = {node: place for place, root in roots.items() for node in root.descendants}
    owned: dict[str, list[Node]] = {"": []}
    for tool in tools:
        owned.setdefault(places.get(tool, ""), []).append(tool)
    return owned
