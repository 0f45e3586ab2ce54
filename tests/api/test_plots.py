"""Pictures: the same for the same answer, whatever things are called; made with an extra."""

import sys
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from agentlog.api.plots import MOST_BARS, MOST_LINES, PANELS, PlotsMissing, plot
from agentlog.infrastructure.reports.catalogue import REPORTS
from agentlog.infrastructure.reports.question import InvalidQuestion, Question
from agentlog.infrastructure.reports.report import ReportColumn
from agentlog.infrastructure.reports.reports import ReportResult


def answer_of(name: str, by: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> ReportResult:
    """Return an answer whose figures count up from what is given of the rows."""
    report = REPORTS[name]
    columns = (*(ReportColumn(name, None, "") for name in by), *report.columns)
    width = len(columns) - len(by)
    filled = [(*row, *(float(place + 1) for place in range(width))) for row in rows]
    return ReportResult(report, Question(by=by), 1, columns, filled, truncated=False)


def texts(picture: bytes) -> list[str]:
    root = ET.fromstring(picture)  # noqa: S314 - our own
    return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("name", "by", "rows"),
    [
        ("approvals", ["tool"], [("a",), ("b",)]),
        ("usage", ["day", "thread"], [("2026-01-01", "a"), ("2026-01-02", "b")]),
        ("failures", [], [()]),
        ("anomalies", ["thread"], []),
        ("threads", ["day"], []),
    ],
)
def test_the_same_answer_is_the_same_picture(
    name: str, by: list[str], rows: list[tuple[str, ...]]
) -> None:
    answer = answer_of(name, by, rows)
    drawn = plot(answer, "svg")
    assert drawn == plot(answer, "svg")
    assert b"<dc:date>" not in drawn
    for row in rows:
        assert set(row) <= set(texts(drawn))


def test_panels_are_of_columns_that_there_are_and_of_one_unit() -> None:
    for name, panels in PANELS.items():
        units = {column.name: column.unit for column in REPORTS[name].columns}
        for panel in panels:
            assert panel.main in panel.columns
            assert len({units[column] for column in panel.columns}) == 1


def test_axes_say_what_they_are_in() -> None:
    shown = texts(plot(answer_of("tools", ["tool"], [("search",)]), "svg"))
    assert {"Error rate", "error rate", "Latency", "ms", "p50", "p95", "p99"} <= set(shown)
    shown = texts(plot(answer_of("usage", ["day", "model"], [("2026-01-01", "m")]), "svg"))
    assert {"USD", "tokens", "Tokens, input tokens"} <= set(shown)


ODD = ("$x_1$", "a\x00\x1b\x0b", "\u8b66\u544a", "\u202e", "<b>&\"'", "\\frac{1}", "x" * 500)


@pytest.mark.parametrize("by", [["tool"], ["day", "tool"]])
def test_any_name_can_be_drawn(by: list[str]) -> None:
    rows = [(name,) if by == ["tool"] else ("2026-01-01", name) for name in ODD]
    answer = answer_of("tools", by, rows)
    shown = set(texts(plot(answer, "svg")))
    for name in ODD[:-1]:
        assert "".join(c if c.isprintable() else "\ufffd" for c in name) in shown
    assert "x" * 43 + "…" in shown
    assert plot(answer, "png").startswith(b"\x89PNG")


def test_of_many_only_the_first_are_drawn() -> None:
    many = [(f"tool-{number:03d}",) for number in range(100)]
    shown = texts(plot(answer_of("tools", ["tool"], many), "svg"))
    assert sum(text.startswith("tool-") for text in shown) == MOST_BARS
    assert any(f"(the first {MOST_BARS} of 100)" in text for text in shown)
    shown = texts(
        plot(answer_of("tools", ["day", "tool"], [("2026-01-01", *t) for t in many]), "svg")
    )
    assert len({text for text in shown if text.startswith("tool-")}) == MOST_LINES


def test_what_nobody_measured_is_a_gap() -> None:
    answer = answer_of("tools", ["day"], [("2026-01-01",), ("2026-01-02",)])
    rows = [(*answer.rows[0][:-3], None, None, None), answer.rows[1]]
    without = ReportResult(answer.report, answer.question, 1, answer.columns, rows, truncated=False)
    assert plot(without, "svg") != plot(answer, "svg")


def test_a_report_of_single_calls_has_no_picture() -> None:
    with pytest.raises(InvalidQuestion, match="has no picture; usage"):
        plot(answer_of("slowest", [], []), "svg")


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(PlotsMissing, match=r"pip install 'agentlog\[plots\]'"):
        plot(answer_of("tools", ["tool"], []), "svg")
