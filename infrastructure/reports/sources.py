"""What reports count: rows, the columns that they have for breakdowns and filters, their times."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, LiteralString

Clock = Literal["recorded", "sent"]

Fragment = LiteralString
"""A literal of SQL; statements consist only of these and quoted names."""

_ACTION: Fragment = (
    "CASE WHEN item.tool = ANY (%(shells)s) THEN coalesce(item.command, item.tool) "
    "ELSE item.tool END"
)
_TOOL_CALLS: Mapping[str, Fragment] = {
    "tool": "item.tool",
    "action": _ACTION,
    "command": "item.command",
    "error_class": "item.error_class",
    "outcome": "coalesce(item.outcome, 'open')",
    "model": "response.model",
}
"""A tool call's model is that of the response that asked for it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Rows of a read model, or the heads of threads if it names none.

    `columns` are those by whose values reports break down and filter, each as SQL on a row `item`;
    `lists` are columns with several values, as JSON: broken down by one, a row counts with each of
    its values. `recorded` and `sent` are a row's times, by the log's clock and the producer's: of
    the first of its messages that has one. `rows` selects the rows from `table`, and from those of
    the read models `beside` by name.
    """

    model: str | None
    columns: Mapping[str, Fragment]
    lists: Mapping[str, Fragment] = field(default_factory=dict)
    recorded: Fragment = "item.recorded_at"
    sent: Fragment | None = None
    rows: Fragment = "{table}"
    beside: tuple[str, ...] = ()

    @property
    def clocks(self) -> Mapping[Clock, Fragment]:
        """The times that a report can go by."""
        sent: Mapping[Clock, Fragment] = {} if self.sent is None else {"sent": self.sent}
        return {"recorded": self.recorded, **sent}

    @property
    def of_responses(self) -> bool:
        """Whether its rows come from responses of models."""
        return self.model == "tool_calls"


SOURCES: Mapping[str, Source] = {
    "model_calls": Source(
        model="model_calls",
        # what another session says again counts there
        rows="(SELECT * FROM {table} WHERE copy_of IS NULL)",
        sent="coalesce(item.requested_sent_at, item.answered_sent_at)",
        columns={
            "model": "item.model",
            "provider": "item.provider",
            "finish_reason": "item.finish_reason",
            "outcome": "coalesce(item.outcome, 'open')",
        },
    ),
    "tool_calls": Source(
        model="tool_calls",
        sent="coalesce(item.called_sent_at, item.answered_sent_at)",
        columns=_TOOL_CALLS,
    ),
    "suspected_calls": Source(
        model="tool_calls",
        sent="coalesce(item.called_sent_at, item.answered_sent_at)",
        columns={**_TOOL_CALLS, "rule": "item.rule"},
        rows="(SELECT call.*, marked.rule FROM {table} AS call "
        "CROSS JOIN LATERAL string_to_table(call.suspected, ' ') AS marked (rule))",
    ),
    "marks": Source(
        model="suspicions",
        columns={
            "rule": "item.rule",
            "tool": "item.tool",
            "action": _ACTION,
            "command": "item.command",
            "model": "item.model",
        },
        sent="item.sent_at",
        rows="(SELECT thread.tenant, thread.thread_id, thread.position, thread.recorded_at, "
        "thread.sent_at, "
        "mark ->> 'rule' AS rule, mark ->> 'tool' AS tool, mark ->> 'command' AS command, "
        "mark ->> 'model' AS model, (mark ->> 'calls')::bigint AS calls, "
        "(mark ->> 'version')::bigint AS version, "
        "(mark ->> 'lastVersion')::bigint AS last_version "
        "FROM {table} AS thread "
        "CROSS JOIN LATERAL jsonb_array_elements(thread.marks::jsonb) AS mark "
        "WHERE thread.marks <> '[]')",
    ),
    "approvals": Source(
        model="approvals",
        sent="coalesce(item.asked_sent_at, item.answered_sent_at)",
        columns={
            "tool": "item.tool",
            "outcome": "coalesce(item.outcome, 'open')",
            "actor": "item.answered_by",
        },
    ),
    "workers": Source(
        model="workers",
        sent="coalesce(item.spawned_sent_at, item.answered_sent_at)",
        columns={
            "model": "item.model",
            "outcome": "coalesce(item.outcome, 'open')",
            "error_code": "item.error_code",
        },
    ),
    "threads": Source(
        model="threads",
        sent="item.first_sent_at",
        columns={
            "outcome": "coalesce(item.outcome, 'open')",
            "status": "item.status",
            "judged": "item.judged",
            "verdict": "coalesce({verdict}, 'unknown')",
            "policy": "item.policy",
        },
        lists={"label": "item.labels"},
        rows="(SELECT thread.*, coalesce(suspicion.failures, 0) AS failures, "
        "coalesce(suspicion.told, 0) AS told, coalesce(suspicion.suspected, 0) AS suspected, "
        "coalesce(copied.calls, 0) AS copied_calls, copied.input AS copied_input, "
        "copied.output AS copied_output, copied.total AS copied_total, copied.cost AS copied_cost, "
        "coalesce(copied.computed, 0) AS copied_computed, "
        "coalesce(copied.unpriced, 0) AS copied_unpriced "
        "FROM {table} AS thread LEFT JOIN {suspicions} AS suspicion "
        "ON suspicion.tenant = thread.tenant AND suspicion.thread_id = thread.thread_id "
        "LEFT JOIN ("
        "SELECT tenant, thread_id, count(*) AS calls, sum(input_tokens) AS input, "
        "sum(output_tokens) AS output, "
        "sum(coalesce(total_tokens, "
        "coalesce(input_tokens, output_tokens * 0) + coalesce(output_tokens, 0))) AS total, "
        "sum(cost_usd) AS cost, count(*) FILTER (WHERE cost_source = 'computed') AS computed, "
        "count(*) FILTER (WHERE outcome = 'answered' AND cost_usd IS NULL) AS unpriced "
        "FROM {model_calls} WHERE tenant = %(tenant)s AND copy_of IS NOT NULL "
        "GROUP BY tenant, thread_id"
        ") AS copied ON copied.tenant = thread.tenant AND copied.thread_id = thread.thread_id)",
        beside=("suspicions", "model_calls"),
    ),
    "heads": Source(
        model=None,
        columns={"status": "item.status", "policy": "item.policy"},
        recorded="item.started_at",
    ),
}
"""What reports are about, in the order in which these are listed."""
