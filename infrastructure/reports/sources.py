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


_OF_MODELS: Mapping[str, Fragment] = {
    "model": "item.model",
    "provider": "item.provider",
    "finish_reason": "item.finish_reason",
    "outcome": "coalesce(item.outcome, 'open')",
}
_SPENDING: Fragment = """(
SELECT tenant, thread_id, version, position, recorded_at,
       coalesce(requested_sent_at, answered_sent_at) AS sent_at, model, provider, finish_reason,
       outcome, input_tokens, output_tokens, total_tokens, cached_input_tokens,
       cache_write_tokens, cache_write_1h_tokens, reasoning_tokens, cost_usd, prices,
       (cost_source = 'computed')::int AS computed,
       (outcome = 'answered' AND cost_usd IS NULL)::int AS unpriced
FROM {table}
WHERE copy_of IS NULL
UNION ALL
SELECT thread.tenant, thread.thread_id, NULL, thread.position, thread.recorded_at,
       thread.first_sent_at, coalesce(own.model, thread.metadata::jsonb ->> 'model'), NULL, NULL,
       'answered', thread.input_tokens - coalesce(own.input_tokens, 0),
       thread.output_tokens - coalesce(own.output_tokens, 0),
       thread.total_tokens - coalesce(own.total_tokens, 0), NULL, NULL, NULL, NULL,
       thread.cost_usd - coalesce(own.cost_usd, 0), NULL, thread.computed_calls - own.computed,
       thread.unpriced_calls - own.unpriced
FROM {threads} AS thread
CROSS JOIN LATERAL (
    SELECT CASE WHEN min(model) = max(model) THEN min(model) END AS model,
           sum(input_tokens)::bigint AS input_tokens, sum(output_tokens)::bigint AS output_tokens,
           sum(coalesce(
               total_tokens, coalesce(input_tokens, output_tokens * 0) + coalesce(output_tokens, 0)
           ))::bigint AS total_tokens,
           sum(cost_usd) AS cost_usd,
           count(*) FILTER (WHERE cost_source = 'computed') AS computed,
           count(*) FILTER (WHERE outcome = 'answered' AND cost_usd IS NULL) AS unpriced
    FROM {table} AS call
    WHERE call.tenant = thread.tenant AND call.thread_id = thread.thread_id AND copy_of IS NULL
) AS own
WHERE thread.states_run AND (
    own.computed + own.unpriced <> thread.computed_calls + thread.unpriced_calls
    OR own.total_tokens IS DISTINCT FROM thread.total_tokens
    OR (own.cost_usd IS NULL) <> (thread.cost_usd IS NULL)
))"""
"""Calls that count, and for a run that states its own figures what these have beyond its calls: a
row without a version, which no call is."""


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
        columns=_OF_MODELS,
    ),
    "spending": Source(
        model="model_calls",
        rows=_SPENDING,
        beside=("threads",),
        sent="item.sent_at",
        columns=_OF_MODELS,
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
        "coalesce(suspicion.told, 0) AS told, coalesce(suspicion.suspected, 0) AS suspected "
        "FROM {table} AS thread LEFT JOIN {suspicions} AS suspicion "
        "ON suspicion.tenant = thread.tenant AND suspicion.thread_id = thread.thread_id)",
        beside=("suspicions",),
    ),
    "heads": Source(
        model=None,
        columns={"status": "item.status", "policy": "item.policy"},
        recorded="item.started_at",
    ),
}
"""What reports are about, in the order in which these are listed."""
