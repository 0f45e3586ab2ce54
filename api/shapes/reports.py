"""Answers of reports as JSON and CSV, for HTTP and the command line."""

import csv
from io import StringIO

from api.shapes.threads import time_text
from domain.json.text import JsonValue, print_text
from infrastructure.reports.reports import Answer

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that a spreadsheet would compute (OWASP: CSV injection)."""


def answer_json(answer: Answer) -> JsonValue:
    """Return an answer as JSON, one object per row."""
    names = [each.name for each in answer.columns]
    return {
        "report": answer.report.name,
        "by": list(answer.by),
        "asOf": answer.as_of,
        "from": time_text(answer.question.begin),
        "to": time_text(answer.question.end),
        "columns": [
            {"name": each.name, "unit": each.unit, "comment": each.comment}
            for each in answer.columns
        ],
        "rows": [dict(zip(names, row, strict=True)) for row in answer.rows],
        "truncated": answer.truncated,
    }


def answer_csv(answer: Answer) -> str:
    """Return an answer as CSV (RFC 4180), column names first; null is an empty cell.

    A text that a spreadsheet would read as a formula gets an apostrophe before it: names of tools
    and threads may come from others.
    """
    output = StringIO(newline="")
    writer = csv.writer(output)
    writer.writerow([_cell(each.name) for each in answer.columns])
    writer.writerows([_cell(value) for value in row] for row in answer.rows)
    return output.getvalue()


def _cell(value: JsonValue) -> str:
    match value:
        case None:
            return ""
        case str(text):
            return f"'{text}" if text.startswith(_STARTS_FORMULA) else text
        case _:
            return print_text(value)
