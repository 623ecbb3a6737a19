"""Tree: the spans of one trace, each read in its dialect, and how deep in sub-agents it lies."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from tracemill.ingest.dialects.attributes import value_of
from tracemill.ingest.dialects.dialect import Dialect, SpanKind
from tracemill.ingest.dialects.table import DIALECTS
from tracemill.ingest.span import Span


@dataclass(slots=True, eq=False)
class Node:
    """A span in its place."""

    span: Span
    kind: SpanKind
    dialect: Dialect | None
    parent: "Node | None" = None
    children: list["Node"] = field(default_factory=list)

    @property
    def ancestors(self) -> Iterable["Node"]:
        """Its parent, and so on to the root."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def depth(self) -> int:
        """How many tools and agents, but for the outermost agent, it lies within."""
        agents = sum(node.kind == "agent" for node in self.ancestors)
        tools = sum(node.kind == "tool" for node in self.ancestors)
        return max(0, agents - 1) + tools


def plant(spans: Iterable[Span]) -> tuple[Node, ...]:
    """Return the spans in order of their start, each with its parent where that is there."""
    ordered = sorted(spans, key=lambda span: (span.start_ns, span.span_id))
    nodes = {span.span_id: _node(span) for span in ordered}
    for node in nodes.values():
        parent = nodes.get(node.span.parent_id or "")
        if parent is not None and node is not parent and node not in tuple(parent.ancestors):
            node.parent = parent
            parent.children.append(node)
    return tuple(nodes.values())


def _node(span: Span) -> Node:
    for dialect in DIALECTS:
        if dialect.marks is not None and dialect.marks.isdisjoint(span.attributes):
            continue
        kind = dialect.kind(span)
        if kind is not None:
            return Node(span, kind, dialect)
    return Node(span, "other", None)


def fell(nodes: Iterable[Node]) -> None:
    """Take the tree apart, so that its spans are freed at once and not by a rare collection."""
    for node in nodes:
        node.children.clear()


def model_nodes(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return the model calls of the main agent in order, each once.

    Two instrumentations of one call nest: the inner one counts. Sub-agents lie deeper than the
    main agent, whose calls are the least deep.
    """
    calls = [node for node in nodes if node.kind == "model" and not _is_outer(node)]
    least = min((node.depth for node in calls), default=0)
    return tuple(node for node in calls if node.depth == least)


def _is_outer(node: Node) -> bool:
    below = list(node.children)
    while below:
        child = below.pop()
        if child.kind == "model":
            return True
        if child.kind not in ("tool", "agent"):
            below += child.children
    return False


def root_first(nodes: Iterable[Node]) -> list[Span]:
    """Return the spans, roots before others, else in order of their start."""
    return sorted((node.span for node in nodes), key=lambda span: not span.is_root)


def aliases_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the ids by which feedback may name a part of the trace: of spans and responses."""
    found: set[str] = set()
    for node in nodes:
        found.add(node.span.span_id)
        response = value_of(node.span, "response_id")
        if isinstance(response, str):
            found.add(response)
    return frozenset(found)
