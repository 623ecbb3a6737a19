"""Model page: the description of the registered model, all its versions side by side.

MLflow shows it above the list of versions. It is written anew with each registration and each
move of the champion, from what the versions' tags say.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import quote

from tracemill.deploy.facts import dollars
from tracemill.deploy.page import escape, table
from tracemill.deploy.version import AliasMove, ModelVersion

_COLUMNS = (
    "version", "verdict", "against", "points (interval)", "training cost", "registered"
)  # fmt: skip
_MOST_ROWS = 50


class VersionLine(NamedTuple):
    """One version in the comparison."""

    version: str
    aliases: tuple[str, ...]
    verdict: str
    against: str
    """The champion that it was judged against."""
    points: str
    cost: str
    registered: str
    """Date."""


def make_line(tags: Mapping[str, str], version: ModelVersion) -> VersionLine:
    """Return the version's line, from the tags that `publish` and `enter` wrote."""
    is_judged = "gate.delta_pp" in tags
    return VersionLine(
        version=version.version,
        aliases=version.aliases,
        verdict=version.verdict or "",
        against=tags.get("gate.champion", ""),
        points=f"{tags['gate.delta_pp']} ({tags['gate.interval_pp']})" if is_judged else "",
        cost=dollars(float(tags["cost.usd"])) if "cost.usd" in tags else "",
        registered=tags["registered.at"][:10],
    )


def render_model_page(lines: Sequence[VersionLine], moves: Sequence[AliasMove], name: str) -> str:
    """Return the model's description, as markdown: its champion, versions and moves."""
    blocks = [*_champion(moves), *_versions(lines, name), *_moves(moves)]
    return "\n\n".join(blocks)


def _champion(moves: Sequence[AliasMove]) -> Iterable[str]:
    if not moves:
        yield "## No champion yet"
        return
    last = moves[-1]
    yield f"## Champion: version {escape(last.to_version)}"
    yield f"Since {last.at:%Y-%m-%d %H:%M} UTC, by {escape(last.by)}: {escape(last.reason)}"


def _versions(lines: Sequence[VersionLine], name: str) -> Iterable[str]:
    yield "### Versions"
    yield table(_COLUMNS, (_row(line, name) for line in lines[:_MOST_ROWS]))
    yield (
        "Points: held-out pass rate, candidate minus the champion it was judged against. "
        "The page of a version has its slices, transcripts and data."
    )


def _row(line: VersionLine, name: str) -> tuple[str, ...]:
    title = f"{line.version} ({', '.join(line.aliases)})" if line.aliases else line.version
    link = f"[{escape(title)}](#/models/{quote(name, safe='')}/versions/{line.version})"
    cells = (line.verdict, line.against, line.points, line.cost, line.registered)
    return (link, *(escape(cell) for cell in cells))


def _moves(moves: Sequence[AliasMove]) -> Iterable[str]:
    yield "### Moves of the champion"
    yield "\n".join(
        f"- {move.at:%Y-%m-%d %H:%M}: {move.from_version or 'none'} → {move.to_version}, "
        f"{escape(move.by)}: {escape(move.reason)}"
        for move in reversed(moves[-_MOST_ROWS:])
    )
