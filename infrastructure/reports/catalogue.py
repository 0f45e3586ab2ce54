"""Catalogue of reports by name."""

from collections.abc import Mapping

from agentlog.domain.errors import NotThere
from agentlog.infrastructure.reports.report import (
    Clock,
    Fragment,
    Report,
    ReportColumn,
    percentiles,
    share,
)
from agentlog.projections.suspicion import OUTLIER_RULES, REPEAT_RULES

_RECORDED: Fragment = "item.recorded_at"
_PLACE = (
    ReportColumn("thread", None, "the thread of the call"),
    ReportColumn("version", None, "place in that thread of the message that asked"),
    ReportColumn("answered_version", None, "place of the message that answered; null while open"),
    ReportColumn("position", None, "place in the log of the message that asked"),
    ReportColumn("link", None, "where the messages are, from call to answer"),
)
_MARKS = (
    ReportColumn("threads", "threads", "threads with such calls"),
    ReportColumn("calls", "calls", "calls that meet this rule"),
    ReportColumn("thread", None, "the thread with most of them"),
    ReportColumn("version", None, "place in that thread of the first of them"),
    ReportColumn("answered_version", None, "place of the last of them"),
    ReportColumn("link", None, "the outline of that thread"),
)


def _clocks(sent: Fragment) -> Mapping[Clock, Fragment]:
    return {"recorded": _RECORDED, "sent": sent}


_TOOL_CALLS: Mapping[Clock, Fragment] = _clocks("item.called_sent_at")
_MODEL_CALLS: Mapping[Clock, Fragment] = _clocks("item.requested_sent_at")
_ACTION: Fragment = (
    "CASE WHEN item.tool = ANY (%(shells)s) THEN coalesce(item.command, item.tool) "
    "ELSE item.tool END"
)
_OF_TOOLS: Mapping[str, Fragment] = {
    "tool": "item.tool",
    "action": _ACTION,
    "command": "item.command",
    "error_class": "item.error_class",
}
_OF_SUSPECTS: Mapping[str, Fragment] = {
    "tool": "item.tool",
    "action": _ACTION,
    "command": "item.command",
    "rule": "item.rule",
}
_OF_MODELS: Mapping[str, Fragment] = {"model": "item.model", "provider": "item.provider"}
_OF_THREADS: Mapping[str, Fragment] = {
    "outcome": "coalesce(item.outcome, 'open')",
    "status": "item.status",
    "judged": "item.judged",
}
_LABELS: Mapping[str, Fragment] = {"label": "item.labels"}
_VERDICT: Mapping[str, Fragment] = {"verdict": "coalesce(item.verdict, 'unknown')"}
_TOKENS = (
    ReportColumn("input_tokens", "tokens", "as reported; null where nothing was"),
    ReportColumn("output_tokens", "tokens", "as reported; null where nothing was"),
    ReportColumn("total_tokens", "tokens", "as reported; null where nothing was"),
)
_COST = (
    ReportColumn(
        "cost_usd",
        "USD",
        "of these calls, reported or computed; null where no cost is known",
        computed="computed_calls",
    ),
    ReportColumn("computed_calls", "calls", "how many of the costs a list of prices gave"),
    ReportColumn("unpriced_calls", "calls", "answered calls whose cost is not known: not in it"),
)

_ALL = (
    Report(
        name="usage",
        comment="What models were used for: calls, tokens and cost.",
        model="model_calls",
        clocks=_MODEL_CALLS,
        columns=(
            ReportColumn("calls", "calls", "calls of models"),
            ReportColumn("input_tokens", "tokens", "as reported; null where no call did"),
            ReportColumn("cached_input_tokens", "tokens", "of the input tokens"),
            ReportColumn("output_tokens", "tokens", "as reported; null where no call did"),
            ReportColumn("reasoning_tokens", "tokens", "of the output tokens"),
            ReportColumn("total_tokens", "tokens", "as reported, else input and output together"),
            *_COST,
            ReportColumn("prices", None, "that list and its version; several where rows are older"),
        ),
        order="-cost_usd",
        by=("day",),
        breakdowns=_OF_MODELS,
        filters=_OF_MODELS,
    ),
    Report(
        name="models",
        comment="How models did: answers, failures, latency.",
        model="model_calls",
        clocks=_MODEL_CALLS,
        columns=(
            ReportColumn("calls", "calls", "calls of models"),
            ReportColumn("answered", "calls", "those that brought a response"),
            ReportColumn("failed", "calls", "those that a runtime error ended"),
            ReportColumn("open", "calls", "those that nothing has ended"),
            share("failure_rate", "failed of those that ended"),
            *percentiles("latency", "calls whose latency is known"),
        ),
        order="-calls",
        by=("model",),
        breakdowns={
            **_OF_MODELS,
            "finish_reason": "item.finish_reason",
            "outcome": "coalesce(item.outcome, 'open')",
        },
        filters={**_OF_MODELS, "finish_reason": "item.finish_reason"},
    ),
    Report(
        name="tools",
        comment="How tools did: answers, errors, latency.",
        model="tool_calls",
        clocks=_TOOL_CALLS,
        columns=(
            ReportColumn("calls", "calls", "calls, and results that no call asked for"),
            ReportColumn("answered", "calls", "those with a result"),
            ReportColumn("stated", "calls", "those whose result says whether the tool failed"),
            ReportColumn("failed", "calls", "those whose result is an error"),
            share("error_rate", "failed of stated; null where results tell of failures only"),
            *percentiles("latency", "calls whose latency is known"),
        ),
        order="-calls",
        by=("tool",),
        breakdowns={**_OF_TOOLS, "outcome": "coalesce(item.outcome, 'open')"},
        filters=_OF_TOOLS,
    ),
    Report(
        name="slowest",
        comment="The tool calls that took longest, each with its place in the log.",
        model="tool_calls",
        clocks=_TOOL_CALLS,
        columns=(
            ReportColumn("latency", "ms", "from call to answer, by the producer's clock"),
            ReportColumn("tool", None, "name of the tool"),
            ReportColumn("outcome", None, "succeeded, failed or unstated"),
            *_PLACE,
        ),
        order="-latency",
        filters={**_OF_TOOLS, "outcome": "coalesce(item.outcome, 'open')"},
        limit=20,
    ),
    Report(
        name="failures",
        comment="Which errors tools give, how often, and where the last of each is.",
        model="tool_calls",
        clocks=_TOOL_CALLS,
        columns=(
            ReportColumn("failed", "calls", "calls whose result is an error"),
            ReportColumn("threads", "threads", "how many threads met it"),
            ReportColumn("first_at", None, "when the log took the first of these calls"),
            ReportColumn("last_at", None, "when the log took the last of them"),
            ReportColumn("error_message", None, "what the last one said, as far as it begins"),
            *_PLACE,
        ),
        order="-failed",
        by=("tool", "error_class"),
        breakdowns=_OF_TOOLS,
        filters=_OF_TOOLS,
        limit=50,
    ),
    Report(
        name="suspects",
        comment="Which results look like failures though none states an error, and by which rule.",
        model="tool_calls",
        clocks=_TOOL_CALLS,
        columns=(
            ReportColumn("suspected", "calls", "calls whose result a rule marks"),
            ReportColumn("threads", "threads", "how many threads have any"),
            ReportColumn("first_at", None, "when the log took the first of these calls"),
            ReportColumn("last_at", None, "when the log took the last of them"),
            *_PLACE,
        ),
        order="-suspected",
        by=("tool", "rule"),
        breakdowns=_OF_SUSPECTS,
        filters=_OF_SUSPECTS,
        limit=50,
    ),
    Report(
        name="loops",
        comment="Which threads call the same again and again, with which tool, by which rule.",
        model="suspicions",
        clocks={"recorded": _RECORDED},
        columns=_MARKS,
        order="-calls",
        by=("tool", "rule"),
        breakdowns=_OF_SUSPECTS,
        filters=_OF_SUSPECTS,
        limit=50,
        rules=REPEAT_RULES,
    ),
    Report(
        name="outliers",
        comment="Calls of tools and models that were slow, dear or not answered, beside others.",
        model="suspicions",
        clocks={"recorded": _RECORDED},
        columns=_MARKS,
        order="-calls",
        by=("rule", "tool", "model"),
        breakdowns={**_OF_SUSPECTS, "model": "item.model"},
        filters={**_OF_SUSPECTS, "model": "item.model"},
        limit=50,
        rules=OUTLIER_RULES,
    ),
    Report(
        name="approvals",
        comment="What people were asked to approve, what they said, and how long they took.",
        model="approvals",
        clocks=_clocks("item.asked_sent_at"),
        columns=(
            ReportColumn("asked", "approvals", "approvals that were asked for"),
            ReportColumn("granted", "approvals", "answered with yes, asked for or not"),
            ReportColumn("denied", "approvals", "answered with no, asked for or not"),
            ReportColumn("open", "approvals", "not answered yet"),
            share("grant_rate", "granted of answered"),
            *percentiles("waiting", "answers whose waiting time is known"),
        ),
        order="-asked",
        by=("tool",),
        breakdowns={
            "tool": "item.tool",
            "outcome": "coalesce(item.outcome, 'open')",
            "actor": "item.answered_by",
        },
        filters={"tool": "item.tool", "actor": "item.answered_by"},
    ),
    Report(
        name="workers",
        comment="Which workers were sent off, and what came of it.",
        model="workers",
        clocks=_clocks("item.spawned_sent_at"),
        columns=(
            ReportColumn("spawned", "workers", "workers that were sent off"),
            ReportColumn("succeeded", "workers", "those that came back with an output"),
            ReportColumn("failed", "workers", "those that came back with an error"),
            ReportColumn("open", "workers", "those that are not back yet"),
            share("failure_rate", "failed of those that came back"),
            *percentiles("duration", "workers whose duration is known"),
        ),
        order="-spawned",
        by=("model",),
        breakdowns={
            "model": "item.model",
            "outcome": "coalesce(item.outcome, 'open')",
            "error_code": "item.error_code",
        },
        filters={"model": "item.model"},
    ),
    Report(
        name="threads",
        comment="What threads came to, how long they took and what they used.",
        model="threads",
        clocks=_clocks("item.first_sent_at"),
        columns=(
            ReportColumn("threads", "threads", "threads that began then"),
            *percentiles(
                "duration", "threads, from first message to last, as far as that is known"
            ),
            ReportColumn("messages", "messages", "all of their messages"),
            ReportColumn("steps", "steps", "as the view agent-state counts them"),
            ReportColumn("tool_calls", "calls", "tool calls that they asked for"),
            ReportColumn(
                "tool_failures",
                "calls",
                "results that say that the tool failed; null where none says",
            ),
            ReportColumn("model_calls", "calls", "calls of models"),
            *_TOKENS,
            *_COST,
        ),
        order="-threads",
        by=("outcome",),
        breakdowns={**_OF_THREADS, "policy": "item.policy"},
        filters=_OF_THREADS,
        lists=_LABELS,
    ),
    Report(
        name="outcomes",
        comment="How many threads succeeded and failed, as judged, else by rule, scores or exits.",
        model="threads",
        clocks=_clocks("item.first_sent_at"),
        columns=(
            ReportColumn("threads", "threads", "threads that began then"),
            ReportColumn("succeeded", "threads", "those that succeeded"),
            ReportColumn("failed", "threads", "those that failed"),
            ReportColumn("unknown", "threads", "those of which neither is known"),
            share("success_rate", "succeeded of those that succeeded or failed"),
            ReportColumn("score_mean", "score", "mean of their scores in numbers"),
            ReportColumn("steps_mean", "steps", "mean of their steps"),
            ReportColumn(
                "cost_of_failed", "USD", "of those that failed, as far as known; computed too"
            ),
        ),
        order="-threads",
        by=("day",),
        breakdowns={**_OF_THREADS, **_VERDICT, "policy": "item.policy"},
        filters={**_OF_THREADS, **_VERDICT},
        lists=_LABELS,
    ),
    Report(
        name="anomalies",
        comment="Where histories break the rules that they were kept under, as the log stands now.",
        model=None,
        clocks={"recorded": "item.started_at"},
        columns=(
            ReportColumn("anomalies", "anomalies", "rules broken"),
            ReportColumn("affected", "threads", "threads with any"),
            ReportColumn("threads", "threads", "all threads that began then"),
            share("affected_share", "affected of all"),
            ReportColumn("worst_thread", None, "the thread with most"),
            ReportColumn("link", None, "the anomalies of that thread"),
        ),
        order="-anomalies",
        by=("thread",),
        breakdowns={"status": "item.status", "policy": "item.policy"},
        filters={"status": "item.status"},
        limit=50,
    ),
)

REPORTS: Mapping[str, Report] = {listed.name: listed for listed in _ALL}


class UnknownReport(NotThere):
    """No report has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no report {name[:64]!r}: there are {', '.join(REPORTS)}")
        self.name = name


def report(name: str) -> Report:
    """Return the report `name`; raises `UnknownReport`."""
    named = REPORTS.get(name)
    if named is None:
        raise UnknownReport(name)
    return named
