"""HTML: the few pieces that the pages of curation are made of.

Text of traces is data: every piece escapes what it is given, and a page loads nothing and runs
nothing.
"""

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem;
       color: #1c1e21; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
th, td { text-align: left; padding: .35rem .6rem; border-bottom: 1px solid #e2e4e8;
         vertical-align: top; }
td.drawing { width: 130px; } th { white-space: nowrap; } td.long { width: 40%; }
td.lost { padding-left: 2rem; color: #6a6f78; }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f6f7f9; padding: .6rem;
      border-radius: 6px; margin: .3rem 0; font-size: 13px; }
.bar { background: #3b6fd4; height: .8rem; display: inline-block; border-radius: 2px; }
.loss { background: #c9ccd3; }
.sides { display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; }
.good pre { border-left: 4px solid #2e8b57; } .bad pre { border-left: 4px solid #c0392b; }
.failed { fill: #c0392b; } .sound { fill: #3b6fd4; } .outage { fill: #c9ccd3; }
svg text { font-size: 12px; fill: #6a6f78; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    """Return a whole page of these parts, which are HTML already."""
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(title)}'
        f"</title><style>{_STYLE}</style></head><body><h1>{escape(title)}</h1>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def heading(text: str) -> str:
    """Return a second-level heading."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{escape(text)}</p>"


def block(text: str) -> str:
    """Return the text with its lines and blanks as they are."""
    return f"<pre>{escape(text)}</pre>"


def cell(text: str) -> str:
    """Return a table cell of plain text."""
    return f"<td>{escape(text)}</td>"


def number(text: str) -> str:
    """Return a table cell that holds a figure."""
    return f'<td class="number">{escape(text)}</td>'


def drawing(inner: str, *, is_long: bool = False) -> str:
    """Return a table cell around a drawing, which is HTML already."""
    return f'<td class="{"long" if is_long else "drawing"}">{inner}</td>'


def loss(text: str) -> str:
    """Return a table cell that names what was lost under the row above it."""
    return f'<td class="lost">{escape(text)}</td>'


def link(text: str, anchor: str) -> str:
    """Return a table cell that leads to the part of the page with this anchor."""
    return f'<td><a href="#{escape(anchor)}">{escape(text)}</a></td>'


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the rows' cells are made by `cell`, `number` or `drawing`."""
    head = "".join(f"<th>{escape(column)}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def bar(share: float, *, is_loss: bool = False) -> str:
    """Return a bar as long as the share (0 to 1) of its column."""
    kind = "bar loss" if is_loss else "bar"
    return f'<span class="{kind}" style="width:{100 * min(max(share, 0), 1):.1f}%"></span>'


def sparkline(values: Sequence[int]) -> str:
    """Return the values as a small line, the highest at the top."""
    if not values:
        return ""
    top, step = max(*values, 1), 120 / max(1, len(values) - 1)
    points = " ".join(
        f"{i * step:.1f},{22 - 20 * value / top:.1f}" for i, value in enumerate(values)
    )
    return (
        '<svg width="124" height="24" role="img" aria-label="by night: '
        f'{", ".join(map(str, values))}"><polyline fill="none" stroke="#3b6fd4" stroke-width="1.5" '
        f'points="{points}"/></svg>'
    )


def details(summary: str, inner: str, *, anchor: str = "") -> str:
    """Return what opens on a click; `inner` is HTML already."""
    name = f' id="{escape(anchor)}"' if anchor else ""
    return f"<details{name}><summary>{escape(summary)}</summary>{inner}</details>"


def sides(chosen: str, rejected: str) -> str:
    """Return two texts beside each other, the right one and the wrong one."""
    return (
        f'<div class="sides"><div class="good">chosen{block(chosen)}</div>'
        f'<div class="bad">rejected{block(rejected)}</div></div>'
    )
