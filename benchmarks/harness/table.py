"""Figures as people and as programs read them: markdown tables, and JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from benchmarks.harness.figures import Case, Figure

_HEADINGS = "| what | whose | median | spread | p99 | times floor | must be |"
_RULE = "|---|---|--:|--:|--:|--:|--:|"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with headings of its own; `figures` has the same for programs, not rounded."""

    title: str
    about: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: JsonValue


Section = Case | Table


def markdown(sections: Sequence[Section], machine: Mapping[str, str]) -> str:
    """Return a table for each section; those of cases in milliseconds."""
    parts = [", ".join(f"{name}: {value}" for name, value in machine.items())]
    for section in sections:
        lines = _case_lines(section) if isinstance(section, Case) else _table_lines(section)
        parts.append(f"### {section.title}\n\n{section.about}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def as_json(sections: Sequence[Section], machine: Mapping[str, str]) -> bytes:
    """Return the same as JSON, in seconds and bytes."""
    value: JsonValue = {
        "machine": dict(machine),
        "cases": [
            {
                "title": section.title,
                "about": section.about,
                "figures": [_figure_json(figure, section.floor) for figure in section.figures]
                if isinstance(section, Case)
                else section.figures,
            }
            for section in sections
        ],
    }
    return print_bytes(value) + b"\n"


def milliseconds(seconds: float) -> str:
    """Return three digits that say something."""
    value = seconds * 1000
    decimals = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 0.1 else 4
    return f"{value:,.{decimals}f}"


def _case_lines(case: Case) -> list[str]:
    return [_HEADINGS, _RULE, *(_row(figure, case.floor) for figure in case.figures)]


def _table_lines(table: Table) -> list[str]:
    rule = ["---", *["--:"] * (len(table.headings) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (table.headings, rule, *table.rows)]


def _row(figure: Figure, floor: Figure) -> str:
    fastest, slowest = figure.spread
    cells = (
        figure.what,
        figure.role,
        milliseconds(figure.median),
        f"{milliseconds(fastest)} to {milliseconds(slowest)}",
        "" if figure.p99 is None else milliseconds(figure.p99),
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
