"""Tree: the spans of one trace, each read in its dialect and in its place."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter

from tracemill.ingest.dialects.attributes import value_of
from tracemill.ingest.dialects.dialect import Dialect, SpanKind
from tracemill.ingest.dialects.table import dialect_of
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
    def descendants(self) -> Iterable["Node"]:
        """Whatever lies within it."""
        below = list(self.children)
        while below:
            node = below.pop()
            below += node.children
            yield node

    @property
    def bounds(self) -> list["Node"]:
        """The tools and agents that it lies within, the outermost first."""
        return [node for node in self.ancestors if node.kind in ("tool", "agent")][::-1]


def plant(spans: Iterable[Span]) -> tuple[Node, ...]:
    """Return the spans in order of their start, each with its parent where that is there."""
    ordered = sorted(spans, key=attrgetter("start_ns", "span_id"))
    nodes = {span.span_id: _node(span) for span in ordered}
    for node in nodes.values():
        parent = nodes.get(node.span.parent_id or "")
        if parent is not None and node is not parent and node not in tuple(parent.ancestors):
            node.parent = parent
            parent.children.append(node)
    return tuple(nodes.values())


def _node(span: Span) -> Node:
    dialect, kind = dialect_of(span)
    return Node(span, kind, dialect)


def fell(nodes: Iterable[Node]) -> None:
    """Take the tree apart, so that its spans are freed at once and not by a rare collection."""
    for node in nodes:
        node.children.clear()


def outer_model(node: Node) -> Node | None:
    """Return the model call that this one lies directly within, with no tool or agent between."""
    for above in node.ancestors:
        if above.kind == "model":
            return above
        if above.kind in ("tool", "agent"):
            return None
    return None


def inner_models(node: Node) -> list[Node]:
    """Return the model calls within this one, but for those of tools and agents within it."""
    found: list[Node] = []
    below = list(node.children)
    while below:
        child = below.pop()
        if child.kind == "model":
            found.append(child)
        if child.kind not in ("tool", "agent"):
            below += child.children
    return found


def root_first(nodes: Iterable[Node]) -> list[Span]:
    """Return the spans, roots before others, else in order of their start."""
    spans = [node.span for node in nodes]
    roots = [span for span in spans if span.is_root]
    return roots + [span for span in spans if not span.is_root]


def aliases_of(nodes: Iterable[Node]) -> frozenset[str]:
    """Return the ids by which feedback may name a part of the trace: of spans and responses."""
    found: set[str] = set()
    for node in nodes:
        found.add(node.span.span_id)
        response = value_of(node.span, "response_id")
        if isinstance(response, str):
            found.add(response)
    return frozenset(found)
