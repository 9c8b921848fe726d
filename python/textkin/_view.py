"""HTML for notebooks: pairs with passages, texts side by side, a drawing of the graph. All text is escaped."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from textkin._compare import Comparison, Passage
    from textkin._graph import Graph

#: Background colours of passages, in turn; used with transparency, so they suit light and dark pages.
_TINTS = ("255,193,7", "33,150,243", "76,175,80", "233,30,99", "156,39,176", "255,87,34")
#: Longer texts are shown as excerpts: their passages with ``_AROUND`` characters around each.
_MAX_CHARACTERS = 20_000
_AROUND = 160
#: Maximum number of pairs in a table and of nodes in a drawing.
_MAX_PAIRS = 10
_MAX_NODES = 60

_CELL = "text-align:left;vertical-align:top;padding:2px 10px 2px 0"
_NUMBER = "text-align:right;vertical-align:top;padding:2px 10px 2px 0;font-variant-numeric:tabular-nums"
_TEXT = "white-space:pre-wrap;overflow-wrap:anywhere;text-align:left;vertical-align:top;padding:6px"


def counted(number: int, word: str) -> str:
    """Formats a number with its noun: ``1 pair``, ``2 pairs``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def graph(graph: Graph) -> str:
    """Shows a graph: a summary, its strongest pairs and its largest clusters."""
    parts = [f"<p>{escape(repr(graph).strip('<>'))}</p>"]
    pairs = _strongest(graph)
    if pairs:
        parts.append(_pairs(graph, pairs))
    drawing = _drawing(graph, pairs)
    return f'<div class="textkin">{"".join(parts)}{drawing}</div>'


def _strongest(graph: Graph) -> list[dict[str, Any]]:
    rows = graph._found.rows(_MAX_PAIRS)
    names = ("a", "b", "score", "a_in_b", "b_in_a")
    return [dict(zip(names, row)) for row in rows]


def _pairs(graph: Graph, pairs: list[dict[str, Any]]) -> str:
    excerpts = graph._excerpts(len(pairs))
    heads = "".join(
        f'<th style="{_CELL}">{head}</th>'
        for head in ("a", "b", "score", "a in b", "b in a", "longest shared passage" if excerpts else "")
    )
    rows = []
    for number, pair in enumerate(pairs):
        cells = [
            f'<td style="{_CELL}">{escape(_short(pair["a"], 60))}</td>',
            f'<td style="{_CELL}">{escape(_short(pair["b"], 60))}</td>',
            f'<td style="{_NUMBER}">{pair["score"]:.4f}</td>',
            f'<td style="{_NUMBER}">{pair["a_in_b"]:.1%}</td>',
            f'<td style="{_NUMBER}">{pair["b_in_a"]:.1%}</td>',
            f'<td style="{_CELL}">{_excerpt(excerpts[number]) if excerpts else ""}</td>',
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    more = len(graph) - len(pairs)
    note = f"<p>{counted(more, 'more pair')}</p>" if more > 0 else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>{note}"


def _excerpt(passage: tuple[str, str, str] | None) -> str:
    """Shows the longest passage of a pair with the text around it."""
    if passage is None:
        return ""
    before, shared, after = passage
    mark = f'<mark style="{_tint(0)}">{escape(_short(" ".join(shared.split()), 200))}</mark>'
    return f"{escape(before[-30:])}{mark}{escape(after[:30])}"


def comparison(comparison: Comparison) -> str:
    """Shows two texts side by side, with shared passages in the same colours."""
    ids, texts, passages = comparison.ids, comparison.texts, comparison.passages
    shares = (comparison.a_in_b, comparison.b_in_a)
    heads, cells = [], []
    for side in (0, 1):
        other = escape(_short(ids[1 - side], 80))
        heads.append(
            f'<th style="{_CELL};width:50%">{escape(_short(ids[side], 80))}<br>'
            f"<small>{shares[side]:.1%} of its words are found in {other}</small></th>"
        )
        spans = [(p.a, p.b)[side] for p in passages]
        cells.append(f'<td style="{_TEXT}">{_marked(texts[side], spans)}</td>')
    return (
        '<div class="textkin"><table style="table-layout:fixed;width:100%">'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody><tr>{''.join(cells)}</tr></tbody></table></div>"
    )


def _marked(text: str, spans: list[tuple[int, int]]) -> str:
    """Marks the passages of a text, which is shown whole or as excerpts."""
    is_whole = len(text) <= _MAX_CHARACTERS
    numbered = sorted((start, end, number) for number, (start, end) in enumerate(spans))
    out: list[str] = []
    at = 0
    for start, end, number in numbered:
        start = max(start, at)
        if end <= start:
            continue
        out.append(_between(text, at, start, is_whole, at == 0, False))
        shown = text[start:end]
        if not is_whole and len(shown) > 4 * _AROUND:
            shown = f"{shown[: 2 * _AROUND]} … {shown[-2 * _AROUND :]}"
        label = f'<sup style="opacity:.6">{number + 1}</sup>'
        out.append(f'<mark style="{_tint(number)}">{label}{escape(shown)}</mark>')
        at = end
        if not is_whole and len(out) > 200:
            out.append(" …")
            return "".join(out)
    out.append(_between(text, at, len(text), is_whole, at == 0, True))
    return "".join(out)


def _between(text: str, start: int, end: int, is_whole: bool, is_first: bool, is_last: bool) -> str:
    """Shows the text between two passages."""
    between = text[start:end]
    if is_whole or len(between) <= 2 * _AROUND:
        return escape(between)
    head = "" if is_first else escape(between[:_AROUND])
    tail = "" if is_last else escape(between[-_AROUND:])
    if is_first and is_last:
        head = escape(between[: 2 * _AROUND])
    return f"{head} … {tail}"


def _tint(number: int) -> str:
    return f"background:rgba({_TINTS[number % len(_TINTS)]},.35);color:inherit"


def _short(text: str, max_length: int) -> str:
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def _drawing(graph: Graph, pairs: list[dict[str, Any]]) -> str:
    """Draws the largest clusters, each as a ring of documents, and their strongest pairs as lines."""
    if not pairs:
        return ""
    clusters, n_nodes = [], 0
    for cluster in graph.clusters:
        members = cluster.members[: _MAX_NODES - n_nodes]
        if len(members) < 2:
            break
        clusters.append(members)
        n_nodes += len(members)
    positions: dict[str, tuple[float, float]] = {}
    x, height, left = 0.0, 0.0, 10.0
    for members in clusters:
        radius = max(14.0, len(members) * 14 / (2 * math.pi))
        left = x + 10 + radius
        for number, member in enumerate(members):
            angle = 2 * math.pi * number / len(members) - math.pi / 2
            positions[member] = (left + radius * math.cos(angle), radius * math.sin(angle))
        x = left + radius + 10
        height = max(height, 2 * radius + 24)
    if not positions:
        return ""
    lines = []
    for a, b, score, _, _ in graph._found.rows(4 * _MAX_NODES):
        if a in positions and b in positions:
            (x1, y1), (x2, y2) = positions[a], positions[b]
            weight = 0.15 + 0.85 * min(max(score, 0.0), 1.0)
            lines.append(
                f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                f'stroke="currentColor" stroke-opacity="{weight:.2f}"/>'
            )
    nodes = [
        f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="4" fill="#2196f3"><title>{escape(name)}</title></circle>'
        for name, (cx, cy) in positions.items()
    ]
    n_hidden = graph._found.n_documents() - len(positions)
    note = f"{len(clusters)} of {counted(len(graph.clusters), 'cluster')}"
    note += f", {counted(n_hidden, 'other document')} not shown" if n_hidden > 0 else ""
    return (
        f'<svg role="img" aria-label="graph of {escape(note)}" width="{min(x, 900):.0f}" '
        f'viewBox="0 {-height / 2:.1f} {x:.1f} {height:.1f}" style="max-width:100%">'
        f"{''.join(lines)}{''.join(nodes)}</svg><p><small>{escape(note)}</small></p>"
    )


def longest(comparison: Comparison) -> tuple[str, str, str] | None:
    """Returns the longest passage of a comparison, in the first text, with the text before and after it."""
    best: Passage | None = max(comparison.passages, key=lambda p: p.words, default=None)
    if best is None:
        return None
    text, (start, end) = comparison.texts[0], best.a
    return text[max(start - 30, 0) : start], text[start:end], text[end : end + 30]
