"""OpenAPI schemas of reports and of SQL for analysts."""

from api.http.openapi.parts import (
    INTEGER,
    NULLABLE_STRING,
    STRING,
    Schema,
    list_of,
    object_of,
    page_of,
    reference,
)

ANALYTICS_SHAPES: dict[str, Schema] = {
    "Query": {
        "type": "object",
        "properties": {
            "sql": {
                **STRING,
                "maxLength": 100_000,
                "description": "One SELECT, VALUES, TABLE or WITH … SELECT.",
            },
            "parameters": {
                "description": "Values for `:name`, or in a list for `$1`. The type follows from "
                "where a value stands, as for a text in quotes: else say it, as in `:n::bigint`.",
                "anyOf": [{"type": "object"}, {"type": "array"}],
            },
            "limit": {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 1000},
            "timeoutSeconds": {
                "type": "number",
                "exclusiveMinimum": 0,
                "description": "Up to AGENTLOG_ANALYST_SECONDS, which is the default.",
            },
        },
        "required": ["sql"],
        "additionalProperties": False,
        "examples": [
            {
                "sql": "SELECT type, count(*) FROM events WHERE thread_id = :thread GROUP BY type",
                "parameters": {"thread": "support-42"},
            },
            {"sql": "SELECT name, position FROM progress WHERE position > $1", "parameters": [0]},
        ],
    },
    "QueryAnswer": {
        **object_of(
            columns=list_of(object_of(name=STRING, type=STRING)),
            rows=list_of({"type": "array"}),
            rowCount=INTEGER,
            truncated={"type": "boolean"},
            asOf={"type": "object", "additionalProperties": INTEGER},
        ),
        "description": "Rows in the order of the columns. Numbers keep every digit (NaN and "
        "infinities are strings), times are RFC 3339, bytes are hexadecimal after `\\x`. "
        "`truncated`: there are more rows. `asOf`: for each table the position in the log up to "
        "which it is filled.",
    },
    "Csv": {**STRING, "description": "A line of names, then a line a row (RFC 4180)."},
    "Svg": {**STRING, "description": "A picture: lines over time, else bars."},
    "Reports": object_of(
        items=list_of(
            object_of(
                name=STRING,
                comment=STRING,
                projection=NULLABLE_STRING,
                by=list_of(STRING),
                breakdowns=list_of(STRING),
                filters=list_of(STRING),
                clocks=list_of(STRING),
                columns=list_of(reference("ReportColumn")),
            )
        ),
        next=NULLABLE_STRING,
    ),
    "ReportColumn": {
        **object_of(name=STRING, unit=NULLABLE_STRING, comment=STRING),
        "description": "`unit` is null for names, `share` for what lies between 0 and 1.",
    },
    "Report": {
        **object_of(
            report=STRING,
            by=list_of(STRING),
            asOf=INTEGER,
            columns=list_of(reference("ReportColumn")),
            rows=list_of({"type": "object"}),
            truncated={"type": "boolean"},
            **{"from": NULLABLE_STRING, "to": NULLABLE_STRING},
        ),
        "description": "Rows by the names of the columns; what nobody measured is null. `asOf`: "
        "the position in the log up to which it counts. `truncated`: there are more rows.",
        "examples": [
            {
                "report": "tools",
                "by": ["tool"],
                "asOf": 345,
                "from": "2026-01-05T00:00:00.000000Z",
                "to": None,
                "columns": [
                    {"name": "tool", "unit": None, "comment": "name of the tool"},
                    {"name": "calls", "unit": "calls", "comment": "calls of the tool"},
                    {"name": "error_rate", "unit": "share", "comment": "failed of answered"},
                ],
                "rows": [{"tool": "track", "calls": 12, "error_rate": 0.25}],
                "truncated": False,
            }
        ],
    },
    "AnalyticsTables": page_of("AnalyticsTable"),
    "AnalyticsTable": object_of(
        name=STRING,
        comment=NULLABLE_STRING,
        columns=list_of(object_of(name=STRING, type=STRING, comment=NULLABLE_STRING)),
    ),
}
