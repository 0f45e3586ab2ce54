"""The document of the reports lists them as they are; AGENTLOG_WRITE_DOCS=1 writes the list."""

import os
from pathlib import Path

from agentlog.infrastructure.reports.catalogue import REPORTS

DOCUMENT = Path(__file__).parents[3] / "docs" / "how-to" / "report.md"
BEGIN = "<!-- reports: written from their files -->\n"
END = "<!-- end of reports -->\n"
WRITE = os.environ.get("AGENTLOG_WRITE_DOCS") == "1"


def test_the_document_lists_every_report() -> None:
    rows = [
        f"| `{report.name}` | {report.comment} | {', '.join(report.by or ['a call'])} |\n"
        for report in REPORTS.values()
    ]
    table = "".join(["| report | content | rows |\n|---|---|---|\n", *rows])
    before, begin, rest = DOCUMENT.read_text().partition(BEGIN)
    list_, end, after = rest.partition(END)
    assert begin
    assert end
    if WRITE:
        DOCUMENT.write_text(f"{before}{BEGIN}\n{table}\n{END}{after}")
    else:
        assert list_ == f"\n{table}\n", "run this test with AGENTLOG_WRITE_DOCS=1"
