"""Catalogue of reports by name."""

from collections.abc import Mapping

from agentlog.domain.errors import NotThere
from agentlog.infrastructure.reports.parts import (
    COST,
    LABELS,
    MARKS,
    MODEL_CALLS,
    OF_MODELS,
    OF_SUSPECTS,
    OF_THREADS,
    OF_TOOLS,
    PLACE,
    RECORDED,
    TOKENS,
    TOOL_CALLS,
    VERDICT,
    clocks,
)
from agentlog.infrastructure.reports.report import Report, ReportColumn, percentiles, share
from agentlog.projections.outcomes.suspicion import OUTLIER_RULES, REPEAT_RULES

_ALL = (
    Report(
        name="usage",
        comment="What models were used for: calls, tokens and cost.",
        model="model_calls",
        clocks=MODEL_CALLS,
        columns=(
            ReportColumn("calls", "calls", "calls of models"),
            ReportColumn("input_tokens", "tokens", "as reported; null where no call did"),
            ReportColumn("cached_input_tokens", "tokens", "of the input tokens"),
            ReportColumn("output_tokens", "tokens", "as reported; null where no call did"),
            ReportColumn("reasoning_tokens", "tokens", "of the output tokens"),
            ReportColumn("total_tokens", "tokens", "as reported, else input and output together"),
            *COST,
            ReportColumn("prices", None, "that list and its version; several where rows are older"),
        ),
        order="-cost_usd",
        by=("day",),
        breakdowns=OF_MODELS,
        filters=OF_MODELS,
    ),
    Report(
        name="models",
        comment="How models did: answers, failures, latency.",
        model="model_calls",
        clocks=MODEL_CALLS,
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
            **OF_MODELS,
            "finish_reason": "item.finish_reason",
            "outcome": "coalesce(item.outcome, 'open')",
        },
        filters={**OF_MODELS, "finish_reason": "item.finish_reason"},
    ),
    Report(
        name="tools",
        comment="How tools did: answers, errors, latency.",
        model="tool_calls",
        clocks=TOOL_CALLS,
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
        breakdowns={**OF_TOOLS, "outcome": "coalesce(item.outcome, 'open')"},
        filters=OF_TOOLS,
    ),
    Report(
        name="slowest",
        comment="The tool calls that took longest, each with its place in the log.",
        model="tool_calls",
        clocks=TOOL_CALLS,
        columns=(
            ReportColumn("latency", "ms", "from call to answer, by the producer's clock"),
            ReportColumn("tool", None, "name of the tool"),
            ReportColumn("outcome", None, "succeeded, failed or unstated"),
            *PLACE,
        ),
        order="-latency",
        filters={**OF_TOOLS, "outcome": "coalesce(item.outcome, 'open')"},
        limit=20,
    ),
    Report(
        name="failures",
        comment="Which errors tools give, how often, and where the last of each is.",
        model="tool_calls",
        clocks=TOOL_CALLS,
        columns=(
            ReportColumn("failed", "calls", "calls whose result is an error"),
            ReportColumn("threads", "threads", "how many threads met it"),
            ReportColumn("first_at", None, "when the log took the first of these calls"),
            ReportColumn("last_at", None, "when the log took the last of them"),
            ReportColumn("error_message", None, "what the last one said, as far as it begins"),
            *PLACE,
        ),
        order="-failed",
        by=("tool", "error_class"),
        breakdowns=OF_TOOLS,
        filters=OF_TOOLS,
        limit=50,
    ),
    Report(
        name="suspects",
        comment="Which results look like failures though none states an error, and by which rule.",
        model="tool_calls",
        clocks=TOOL_CALLS,
        columns=(
            ReportColumn("suspected", "calls", "calls whose result a rule marks"),
            ReportColumn("threads", "threads", "how many threads have any"),
            ReportColumn("first_at", None, "when the log took the first of these calls"),
            ReportColumn("last_at", None, "when the log took the last of them"),
            *PLACE,
        ),
        order="-suspected",
        by=("tool", "rule"),
        breakdowns=OF_SUSPECTS,
        filters=OF_SUSPECTS,
        limit=50,
    ),
    Report(
        name="loops",
        comment="Which threads call the same again and again, with which tool, by which rule.",
        model="suspicions",
        clocks={"recorded": RECORDED},
        columns=MARKS,
        order="-calls",
        by=("tool", "rule"),
        breakdowns=OF_SUSPECTS,
        filters=OF_SUSPECTS,
        limit=50,
        rules=REPEAT_RULES,
    ),
    Report(
        name="outliers",
        comment="Calls of tools and models that were slow, dear or not answered, beside others.",
        model="suspicions",
        clocks={"recorded": RECORDED},
        columns=MARKS,
        order="-calls",
        by=("rule", "tool", "model"),
        breakdowns={**OF_SUSPECTS, "model": "item.model"},
        filters={**OF_SUSPECTS, "model": "item.model"},
        limit=50,
        rules=OUTLIER_RULES,
    ),
    Report(
        name="approvals",
        comment="What people were asked to approve, what they said, and how long they took.",
        model="approvals",
        clocks=clocks("item.asked_sent_at"),
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
        clocks=clocks("item.spawned_sent_at"),
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
        clocks=clocks("item.first_sent_at"),
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
            *TOKENS,
            *COST,
        ),
        order="-threads",
        by=("outcome",),
        breakdowns={**OF_THREADS, "policy": "item.policy"},
        filters=OF_THREADS,
        lists=LABELS,
    ),
    Report(
        name="outcomes",
        comment="How many threads succeeded and failed, as judged, else by rule, scores or exits.",
        model="threads",
        clocks=clocks("item.first_sent_at"),
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
        breakdowns={**OF_THREADS, **VERDICT, "policy": "item.policy"},
        filters={**OF_THREADS, **VERDICT},
        lists=LABELS,
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
