"""Filters as conditions of SQL on the rows of `select_summaries`.

No input becomes SQL: columns are looked up, values are parameters.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from psycopg.sql import SQL, Composable, Identifier, Placeholder

from agentlog.domain.json.text import print_text
from agentlog.projections.filters.expression import And, Expression, Not, Or, Term, terms_in
from agentlog.projections.filters.success import last_message

ValueT = TypeVar("ValueT")

_FIGURES: Mapping[str, Composable] = {
    "took": SQL("duration_ms"),
    "tokens": SQL("total_tokens"),
    "cost": SQL("cost_usd"),
    "score": SQL("score"),
    "steps": SQL("steps"),
    "calls": SQL("tool_calls"),
    "failures": SQL("failures"),
    "errors": SQL("failures + told"),
    "loops": SQL("loops"),
    "anomalies": SQL("anomalies"),
}
_FLAGS: Mapping[str, Composable] = {
    "has": SQL("failures + told > 0"),
    "told": SQL("told > 0"),
    "suspected": SQL("suspected > 0"),
    "failed": SQL("verdict = 'failed'"),
    "succeeded": SQL("verdict = 'succeeded'"),
    "pending": SQL("approvals_pending > 0"),
    "open": SQL("status = 'open'"),
}
_NAMES: Mapping[str, Composable] = {
    "thread": SQL("thread_id"),
    "parent": SQL("parent"),
    "status": SQL("status"),
    "exit": SQL("outcome"),
}
_OPERATORS: Mapping[str, SQL] = {
    ":": SQL("="),
    ">": SQL(">"),
    ">=": SQL(">="),
    "<": SQL("<"),
    "<=": SQL("<="),
}
_SHOWN_TOOL = SQL("""
(EXISTS (SELECT FROM jsonb_array_elements_text(tools::jsonb) AS tool (name) WHERE {named})
 OR EXISTS (
    SELECT FROM {tool_calls} AS call
    WHERE call.tenant = %(tenant)s AND call.thread_id = summary.thread_id
      AND call.tool = ANY (%(shells)s::text[]) AND {commanded}
))""")
_RULE = SQL("EXISTS (SELECT FROM jsonb_array_elements(marks::jsonb) AS mark WHERE {named})")
_LABEL = SQL(
    "EXISTS (SELECT FROM jsonb_array_elements_text(labels::jsonb) AS label (name) WHERE {named})"
)
_JUDGED = SQL("""
EXISTS (
    SELECT FROM (
        SELECT judged
        UNION ALL
        SELECT unnest(ARRAY[
            judgement ->> 'verdict',
            judgement ->> 'criterion' || ':' || coalesce(judgement ->> 'verdict', '')
        ])
        FROM jsonb_array_elements(judgements::jsonb) AS judgement
    ) AS judged (name)
    WHERE {named}
)""")
# compared with true they are no joins: the planner expects that a search finds one thread, and
# would look each up. Of a thread that was never started only the id is known.
_WORDS = SQL("""
(thread_id IN (
    SELECT known.thread_id
    FROM agentlog.thread_search AS known
    WHERE known.tenant = %(tenant)s
      AND known.words @@ (SELECT agentlog.words_query(%(tenant)s, {text}))
      AND known.content LIKE ALL ((SELECT agentlog.parts_of({text}))::text[])
      AND strpos(known.content, lower({text} COLLATE "default")) > 0
    UNION ALL
    SELECT head.thread_id
    FROM agentlog.threads AS head
    WHERE head.tenant = %(tenant)s
      AND head.thread_id >= {text}
      AND head.thread_id < {text}::text || chr(1114111)
      AND head.facts IS NULL
)) = true""")
_METADATA = SQL("""
(thread_id IN (
    SELECT known.thread_id
    FROM agentlog.thread_search AS known
    WHERE known.tenant = %(tenant)s
      AND known.words @@ (SELECT agentlog.words_query(%(tenant)s, NULL))
      AND known.metadata @> {wanted}::jsonb
)) = true""")
_INDEXED_CHARACTERS = 1000
"""Of the longest value of metadata that is in the index, as JSON."""
_LAST_MESSAGE = SQL("""
(SELECT agentlog.value_in(message.body, {path}::text[])
 FROM agentlog.events_in_blocks AS message
 WHERE message.tenant = %(tenant)s AND message.thread_id = {thread_id} AND message.type = {type}
 ORDER BY message.version DESC
 LIMIT 1)""")


_NOWHERE = SQL("NULL")


class FilterConditions:
    """Conditions whose values it adds to `parameters`; `tool_calls` is a table, for tools."""

    def __init__(self, parameters: dict[str, Any], tool_calls: Composable = _NOWHERE) -> None:
        self._parameters = parameters
        self._tool_calls = tool_calls

    def rows(self, expression: Expression) -> Composable:
        """Return the condition of a filter of a list on a row of `summary`."""
        return joined(expression, self._of_row, negation=NOT_OF_ROWS)

    def verdict(self, rule: Expression | None, item: str) -> Composable:
        """Return the verdict on each row of the table of threads named `item`, by a rule.

        As in `outcome_of`, a judgement goes before it; null where the metadata, exit or message
        that it asks for is not there.
        """
        table = Identifier(item)
        if rule is None:
            return SQL("{}.verdict").format(table)
        return SQL(
            "coalesce({}.judged, "
            "CASE {} WHEN true THEN 'succeeded' WHEN false THEN 'failed' END COLLATE \"C\")"
        ).format(table, joined(rule, lambda term: self._of_run(term, table)))

    def _of_row(self, term: Term) -> Composable:
        match term.name:
            case name if name in _FLAGS:
                return _FLAGS[name]
            case name if name in _FIGURES:
                return self._compared(_FIGURES[name], term)
            case name if name in _NAMES:
                return self.named(_NAMES[name], term)
            case "tool":
                return _SHOWN_TOOL.format(
                    named=self.named(SQL("tool.name"), term),
                    tool_calls=self._tool_calls,
                    commanded=self.named(SQL("call.command"), term),
                )
            case "rule":
                return _RULE.format(named=self.named(SQL("mark ->> 'rule'"), term))
            case "label":
                return _LABEL.format(named=self.named(SQL("label.name"), term))
            case "judged":
                return _JUDGED.format(named=self.named(SQL("judged.name"), term))
            case "words":
                return _WORDS.format(text=self.value(term.value))
            case _:
                return self._of_metadata(term)

    def _of_metadata(self, term: Term) -> Composable:
        wanted = print_text({_without_nul(term.key or ""): _without_nul(term.value)})
        is_whole = term.operator == ":" and not term.is_prefix and term.value is not None
        if is_whole and len(print_text(term.value)) <= _INDEXED_CHARACTERS // 6:  # escaped or not
            return _METADATA.format(wanted=self.value(wanted))
        return self.scalar(self.metadata(SQL("metadata"), term), term)

    def _of_run(self, term: Term, item: Identifier) -> Composable:
        match term.name:
            case "exit":
                return self.named(SQL("{}.outcome").format(item), term)
            case "metadata":
                value = self.metadata(SQL("{}.metadata").format(item), term)
            case _:
                message_type, keys = last_message(term)
                value = _LAST_MESSAGE.format(
                    path=self.value([_without_nul(key) for key in keys]),
                    type=self.value(message_type),
                    thread_id=SQL("{}.thread_id").format(item),
                )
        return SQL("(SELECT {scalar} FROM (SELECT {value} AS value) AS taken)").format(
            scalar=SQL("CASE WHEN value IS NOT NULL THEN coalesce({}, false) END").format(
                self.scalar(SQL("value"), term)
            ),
            value=value,
        )

    def metadata(self, column: Composable, term: Term) -> Composable:
        """Return the value of metadata that a term is about."""
        return SQL("({}::jsonb -> {}::text)").format(column, self.value(term.key))

    def scalar(self, value: Composable, term: Term) -> Composable:
        """Return a condition on a value of JSON, as `compare` of filters decides it."""
        match term.value:
            case None if term.operator == ":":
                return SQL("coalesce({}, 'null') = 'null'").format(value)
            case str() if term.is_prefix or term.operator != ":":
                text = SQL("({} #>> '{{}}')").format(value)
                matches = self._compared(SQL('{} COLLATE "C"').format(text), term)
                if term.is_prefix:
                    matches = self.named(text, term)
                kind = SQL("string")
            case int() | float() if term.operator != ":" and not isinstance(term.value, bool):
                matches = self._compared(SQL("{}::numeric").format(value), term)
                kind = SQL("number")
            case _ if term.operator == ":":
                wanted = self.value(print_text(_without_nul(term.value)))
                return SQL("{} = {}::jsonb").format(value, wanted)
            case _:
                return SQL("false")
        return SQL("CASE jsonb_typeof({value}) WHEN '{kind}' THEN {matches} ELSE false END").format(
            value=value, kind=kind, matches=matches
        )

    def _compared(self, column: Composable, term: Term) -> Composable:
        value = self.value(term.value)
        return SQL("{} {} {}").format(column, _OPERATORS[term.operator], value)

    def named(self, column: Composable, term: Term) -> Composable:
        """Return whether a text is, or begins, as a term wants it."""
        form = SQL("starts_with({}, {})") if term.is_prefix else SQL("{} = {}")
        return form.format(column, self.value(term.value))

    def value(self, value: object) -> Composable:
        """Add a value to the parameters and return its place."""
        name = f"filter_{len(self._parameters)}"
        self._parameters[name] = _without_nul(value)
        return Placeholder(name)


def _without_nul(value: ValueT) -> ValueT | str:
    """Return a value as tables have it."""
    return value.replace("\x00", "\ufffd") if isinstance(value, str) else value


def asks_for_tools(expression: Expression) -> bool:
    """Return whether a filter needs the table of tool calls."""
    return any(term.name == "tool" for term in terms_in(expression))


_NOT = SQL("NOT ({})")
NOT_OF_ROWS = SQL("NOT coalesce({}, false)")
"""Of rows, what is not known does not hold; unless it is negated, an index serves it as it is."""


def joined(
    expression: Expression, leaf: Callable[[Term], Composable], *, negation: SQL = _NOT
) -> Composable:
    """Return the condition of an expression, by those of its terms."""

    def listed(parts: Sequence[Expression], sign: SQL, of_none: SQL) -> Composable:
        conditions = [joined(part, leaf, negation=negation) for part in parts]
        return SQL("({})").format(sign.join(conditions)) if conditions else of_none

    match expression:
        case Term():
            return leaf(expression)
        case Not(part=part):
            return negation.format(joined(part, leaf, negation=negation))
        case And(parts=parts):
            return listed(parts, SQL(" AND "), SQL("true"))
        case Or(parts=parts):
            return listed(parts, SQL(" OR "), SQL("false"))
