"""What several reports share: columns, and breakdowns by their fragments of SQL."""

from collections.abc import Mapping

from agentlog.infrastructure.reports.report import Clock, Fragment, ReportColumn

RECORDED: Fragment = "item.recorded_at"
PLACE = (
    ReportColumn("thread", None, "the thread of the call"),
    ReportColumn("version", None, "place in that thread of the message that asked"),
    ReportColumn("answered_version", None, "place of the message that answered; null while open"),
    ReportColumn("position", None, "place in the log of the message that asked"),
    ReportColumn("link", None, "where the messages are, from call to answer"),
)
MARKS = (
    ReportColumn("threads", "threads", "threads with such calls"),
    ReportColumn("calls", "calls", "calls that meet this rule"),
    ReportColumn("thread", None, "the thread with most of them"),
    ReportColumn("version", None, "place in that thread of the first of them"),
    ReportColumn("answered_version", None, "place of the last of them"),
    ReportColumn("link", None, "the outline of that thread"),
)


def clocks(sent: Fragment) -> Mapping[Clock, Fragment]:
    """Return the times that a report can go by: the log's, and this of the producer."""
    return {"recorded": RECORDED, "sent": sent}


TOOL_CALLS: Mapping[Clock, Fragment] = clocks("item.called_sent_at")
MODEL_CALLS: Mapping[Clock, Fragment] = clocks("item.requested_sent_at")
ACTION: Fragment = (
    "CASE WHEN item.tool = ANY (%(shells)s) THEN coalesce(item.command, item.tool) "
    "ELSE item.tool END"
)
OF_TOOLS: Mapping[str, Fragment] = {
    "tool": "item.tool",
    "action": ACTION,
    "command": "item.command",
    "error_class": "item.error_class",
}
OF_SUSPECTS: Mapping[str, Fragment] = {
    "tool": "item.tool",
    "action": ACTION,
    "command": "item.command",
    "rule": "item.rule",
}
OF_MODELS: Mapping[str, Fragment] = {"model": "item.model", "provider": "item.provider"}
OF_THREADS: Mapping[str, Fragment] = {
    "outcome": "coalesce(item.outcome, 'open')",
    "status": "item.status",
    "judged": "item.judged",
}
LABELS: Mapping[str, Fragment] = {"label": "item.labels"}
VERDICT: Mapping[str, Fragment] = {"verdict": "coalesce(item.verdict, 'unknown')"}
TOKENS = (
    ReportColumn("input_tokens", "tokens", "as reported; null where nothing was"),
    ReportColumn("output_tokens", "tokens", "as reported; null where nothing was"),
    ReportColumn("total_tokens", "tokens", "as reported; null where nothing was"),
)
COST = (
    ReportColumn(
        "cost_usd",
        "USD",
        "of these calls, reported or computed; null where no cost is known",
        computed="computed_calls",
    ),
    ReportColumn("computed_calls", "calls", "how many of the costs a list of prices gave"),
    ReportColumn("unpriced_calls", "calls", "answered calls whose cost is not known: not in it"),
)
