"""The reports: a file each, whose head says what the report is and whose rest are its figures.

The head is a comment in TOML: `title`, `comment`, `source` (of `sources`), `columns` (each a name,
a unit or "", a comment, and the column that counts what of it is computed), `order`, and as needed
`by`, `only`, `limit`, or `like`, a report that has what is not said here.

Figures are SQL over the rows `item` of a row of the answer, each named as its column, or as what
`derived` makes a column of; percentiles `NAME_p50` are of the figure `item.NAME_ms`, and US dollars
are rounded. `top` orders rows: the first has `is_top`. `where` says which rows of the answer are
left, and `link` which address goes with them.
"""

from collections.abc import Mapping
from importlib.resources import files

from agentlog.domain.errors import NotThere
from agentlog.infrastructure.reports.report import Report, read_report
from agentlog.infrastructure.reports.sources import SOURCES


def _read_all() -> Mapping[str, Report]:
    texts = {
        file.name.removesuffix(".sql"): file.read_text("utf-8")
        for file in files(__name__).iterdir()
        if file.name.endswith(".sql")
    }
    reports = [read_report(name, texts) for name in sorted(texts)]
    order = list(SOURCES.values())
    return {
        report.name: report
        for report in sorted(reports, key=lambda report: order.index(report.source))
    }


REPORTS: Mapping[str, Report] = _read_all()
"""All reports by name, in the order of what they are about."""


class UnknownReport(NotThere):
    """No report has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no report {name[:64]!r}: there are {', '.join(REPORTS)}")


def report(name: str) -> Report:
    """Return the report `name`; raises `UnknownReport`."""
    named = REPORTS.get(name)
    if named is None:
        raise UnknownReport(name)
    return named
