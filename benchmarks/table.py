"""Figures as people and as programs read them: markdown tables, and JSON."""

from collections.abc import Mapping, Sequence

from benchmarks.figures import Case, Figure
from domain.json_text import JsonValue, print_bytes

_HEADINGS = "| what | whose | median | spread | p99 | times floor | must be |"
_RULE = "|---|---|--:|--:|--:|--:|--:|"


def markdown(cases: Sequence[Case], machine: Mapping[str, str]) -> str:
    """Return a table for each case, in milliseconds."""
    parts = [", ".join(f"{name}: {value}" for name, value in machine.items())]
    for case in cases:
        rows = "\n".join(_row(figure, case.floor) for figure in case.figures)
        parts.append(f"### {case.title}\n\n{case.about}\n\n{_HEADINGS}\n{_RULE}\n{rows}")
    return "\n\n".join(parts) + "\n"


def as_json(cases: Sequence[Case], machine: Mapping[str, str]) -> bytes:
    """Return the same as JSON, in seconds."""
    value: JsonValue = {
        "machine": dict(machine),
        "cases": [
            {
                "title": case.title,
                "about": case.about,
                "figures": [_figure_json(figure, case.floor) for figure in case.figures],
            }
            for case in cases
        ],
    }
    return print_bytes(value) + b"\n"


def _row(figure: Figure, floor: Figure) -> str:
    fastest, slowest = figure.spread
    cells = (
        figure.what,
        figure.role,
        _milliseconds(figure.median),
        f"{_milliseconds(fastest)} to {_milliseconds(slowest)}",
        "" if figure.p99 is None else _milliseconds(figure.p99),
        f"{figure.median / floor.median:.2f}",
        "" if figure.limit is None else f"< {figure.limit * 1000:.0f} ({_verdict(figure)})",
    )
    return f"| {' | '.join(cells)} |"


def _verdict(figure: Figure) -> str:
    """Say which of median and p99 keep the limit; one alone where there is but one."""
    if figure.limit is None:
        return ""
    if figure.median >= figure.limit:
        return "missed"
    if figure.p99 is not None and figure.p99 >= figure.limit:
        return "median met, p99 missed"
    return "met"


def _milliseconds(seconds: float) -> str:
    """Return three digits that say something."""
    value = seconds * 1000
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4
    return f"{value:,.{decimals}f}"


def _figure_json(figure: Figure, floor: Figure) -> JsonValue:
    fastest, slowest = figure.spread
    return {
        "what": figure.what,
        "whose": figure.role,
        "median": figure.median,
        "fastestRun": fastest,
        "slowestRun": slowest,
        "p99": figure.p99,
        "timesFloor": figure.median / floor.median,
        "limit": figure.limit,
        "samplesPerRun": [len(run) for run in figure.runs],
        "verdict": _verdict(figure) or None,
    }
