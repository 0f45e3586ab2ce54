"""Plots of reports: time series as lines, comparisons as bars.

Drawn by matplotlib, in the extra `plots`. The same answer gives the same picture, byte for byte.
"""

import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any, Literal

from agentlog.domain.errors import AgentlogError
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.reports.question import InvalidQuestion, is_time
from agentlog.infrastructure.reports.reports import ReportResult

MOST_BARS = 20
MOST_LINES = 7

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette, safe for colour blindness; without the faint yellow."""

_STYLE = {
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "grid.color": "#dddddd",
    "font.size": 10.0,
    "svg.fonttype": "none",  # text stays text: any script, searchable, readable aloud
    "svg.hashsalt": "agentlog",
    "text.color": "#222222",
    "text.parse_math": False,  # no TeX: a dollar sign is literal
}
_LABEL = 44
_drawing = threading.Lock()  # matplotlib's style is global to the process


class PlotsMissing(AgentlogError):
    """Pictures need an extra that is not installed."""

    def __init__(self) -> None:
        super().__init__("pictures need matplotlib: pip install 'agentlog[plots]'")


@dataclass(frozen=True, slots=True)
class Panel:
    """Columns of one unit drawn together; with several lines per column, only `main` is drawn."""

    title: str
    columns: tuple[str, ...]
    main: str
    stacked: bool = False


def _panel(title: str, *columns: str, main: str | None = None, stacked: bool = False) -> Panel:
    return Panel(title, columns, main or columns[0], stacked)


def _percentiles(title: str, name: str) -> Panel:
    return _panel(title, *(f"{name}_p{rank}" for rank in (50, 95, 99)), main=f"{name}_p95")


PANELS: Mapping[str, tuple[Panel, ...]] = {
    "usage": (_panel("Cost", "cost_usd"), _panel("Tokens", "input_tokens", "output_tokens")),
    "models": (_panel("Calls", "calls"), _percentiles("Latency", "latency")),
    "tools": (_panel("Error rate", "error_rate"), _percentiles("Latency", "latency")),
    "failures": (_panel("Failed calls", "failed"),),
    "suspects": (_panel("Suspected calls", "suspected"),),
    "loops": (_panel("Repeated calls", "calls"),),
    "outliers": (_panel("Slow, dear and unanswered calls", "calls"),),
    "approvals": (
        _panel("Answers", "granted", "denied", "open", stacked=True),
        _percentiles("Waiting time", "waiting"),
    ),
    "workers": (
        _panel("Workers", "succeeded", "failed", "open", stacked=True),
        _percentiles("Duration", "duration"),
    ),
    "threads": (_panel("Threads", "threads"), _percentiles("Duration", "duration")),
    "outcomes": (
        _panel("Threads", "succeeded", "failed", "unknown", stacked=True),
        _panel("Success rate", "success_rate"),
    ),
    "anomalies": (_panel("Anomalies", "anomalies"), _panel("Threads affected", "affected_share")),
}
"""The reports that have a plot."""


def plot(answer: ReportResult, kind: Literal["svg", "png"]) -> bytes:
    """Return the plot of an answer.

    Raises:
        InvalidQuestion: the report has no plot.
        PlotsMissing: matplotlib is not installed.
    """
    panels = PANELS.get(answer.report.name)
    if panels is None:
        raise InvalidQuestion(
            f"report {answer.report.name} has no picture; {', '.join(PANELS)} have"
        )
    try:
        matplotlib, figures = import_module("matplotlib"), import_module("matplotlib.figure")
    except ImportError as error:
        raise PlotsMissing from error
    with _drawing, matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the reader's font has it
        over_time = bool(answer.by) and is_time(answer.by[0])
        figure = (_lines if over_time else _bars)(figures.Figure, answer, panels)
        output = BytesIO()
        figure.savefig(output, format=kind, metadata={"Date": None} if kind == "svg" else None)
    return output.getvalue()


def _lines(make: Callable[..., Any], answer: ReportResult, panels: Sequence[Panel]) -> Any:  # noqa: ANN401 - its types are not there without the extra
    """Return a figure of time series, its panels below each other."""
    figure = make(figsize=(10, 3 * len(panels) + 0.8), layout="constrained")
    places = list(dict.fromkeys(str(row[0]) for row in answer.rows))
    groups = _largest_groups(answer)
    figure.suptitle(_title(answer, len(groups), MOST_LINES))
    for panel, axes in zip(panels, figure.subplots(len(panels), 1, squeeze=False), strict=True):
        chosen = panel.columns if len(answer.by) == 1 else (panel.main,)
        lines = [(group, column) for group in groups[:MOST_LINES] for column in chosen]
        for (group, column), colour in zip(lines, _COLOURS, strict=False):
            values: dict[str, JsonValue] = {
                str(row[0]): row[_index(answer, column)]
                for row in answer.rows
                if _name(answer.by[1:], row[1:]) == group
            }
            axes[0].plot(
                range(len(places)),
                [_number(values.get(place)) for place in places],
                color=colour,
                marker="o",
                markersize=4,
                label=group or _word(column),
            )
        title = panel.title if chosen == panel.columns else f"{panel.title}, {_word(panel.main)}"
        _name_axes(axes[0], axes[0].yaxis, answer, panel, title=title)
        axes[0].set_xticks(*_ticks(places), rotation=30, ha="right")
        axes[0].set_ylim(bottom=0)
        if len(lines) > 1:
            axes[0].legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    return figure


def _bars(make: Callable[..., Any], answer: ReportResult, panels: Sequence[Panel]) -> Any:  # noqa: ANN401 - as above
    """Return a figure of comparisons, its panels side by side."""
    rows = answer.rows[:MOST_BARS]
    height = 0.28 + 0.14 * len(answer.by)
    figure = make(figsize=(5 * len(panels) + 3, height * len(rows) + 2), layout="constrained")
    figure.suptitle(_title(answer, len(answer.rows), MOST_BARS))
    subplots = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for panel, axes in zip(panels, subplots, strict=True):
        beside = 1 if panel.stacked else len(panel.columns)
        begun = [0.0] * len(rows)
        for number, (column, colour) in enumerate(zip(panel.columns, _COLOURS, strict=False)):
            values = [_number(row[_index(answer, column)]) for row in rows]
            lane = 0 if panel.stacked else number
            axes.barh(
                [place + 0.8 * (lane + 0.5) / beside - 0.4 for place in range(len(rows))],
                values,
                height=0.8 / beside,
                left=begun,
                color=colour,
                label=_word(column),
            )
            if panel.stacked:
                begun = [before + value for before, value in zip(begun, values, strict=True)]
        _name_axes(axes, axes.xaxis, answer, panel, title=panel.title)
        axes.grid(visible=False, axis="y")
        axes.set_xlim(left=0)
        if len(panel.columns) > 1:
            axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
    names = [_name(answer.by, row, between="\n") for row in rows]
    subplots[0].set_yticks(range(len(rows)), names)
    subplots[0].set_ylim(max(len(rows), 1) - 0.5, -0.5)
    return figure


def _largest_groups(answer: ReportResult) -> list[str]:
    """Return the groups to draw as lines, largest totals of the report's order column first."""
    column = _index(answer, answer.report.order.removeprefix("-"))
    totals: dict[str, float] = {}
    for row in answer.rows:
        group = _name(answer.by[1:], row[1:])
        totals[group] = totals.get(group, 0.0) + _number(row[column] or 0)
    return sorted(totals, key=lambda group: (-totals[group], group))


def _name_axes(axes: Any, axis: Any, answer: ReportResult, panel: Panel, *, title: str) -> None:  # noqa: ANN401 - as above
    column = answer.columns[_index(answer, panel.main)]
    unit = column.unit
    if column.computed is not None and any(
        row[_index(answer, column.computed)] for row in answer.rows
    ):
        title += ", in part computed"
    axes.set_title(title, loc="left", fontsize=11)
    if unit == "share":
        axis.set_major_formatter("{x:.0%}")
        axis.set_label_text(panel.main.replace("_", " "))
    else:
        axis.set_major_formatter("{x:,.10g}")
        axis.set_label_text(unit or "")


def _title(answer: ReportResult, number: int, most: int) -> str:
    title = answer.report.comment.rstrip(".")
    return f"{title} (the first {most} of {number:,})" if number > most else title


def _word(column: str) -> str:
    """Return a column's name in a legend: for a percentile its rank, as the title has the rest."""
    name, _, rank = column.rpartition("_")
    return (
        rank if name and rank.startswith("p") and rank[1:].isdigit() else column.replace("_", " ")
    )


def _ticks(places: Sequence[str]) -> tuple[list[int], list[str]]:
    """Return a dozen tick places at most, with their labels."""
    step = max(1, -(-len(places) // 12))
    chosen = list(range(0, len(places), step))
    return chosen, [places[name] for name in chosen]


def _name(by: Sequence[str], row: Sequence[JsonValue], *, between: str = ", ") -> str:
    """Return a row's label from its breakdown, without control characters, which XML refuses."""
    return between.join(_shown(value) for value in row[: len(by)]) if by else ""


def _shown(value: JsonValue) -> str:
    text = "(none)" if value is None else value if isinstance(value, str) else print_text(value)
    shown = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return shown if len(shown) <= _LABEL else shown[: _LABEL - 1] + "…"


def _index(answer: ReportResult, column: str) -> int:
    return len(answer.by) + [column.name for column in answer.report.columns].index(column)


def _number(value: JsonValue) -> float:
    """Return the number to draw; a missing value is a gap."""
    return float(value) if isinstance(value, int | float) else float("nan")
