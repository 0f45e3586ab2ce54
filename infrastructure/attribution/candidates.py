"""Candidates for the cause of a run's failure: steps that a good run has otherwise."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, text_at
from agentlog.infrastructure.comparison.comparer import Comparer, SideAsked
from agentlog.infrastructure.exchanges.recorded_runs import Cursor, RecordedThread
from agentlog.infrastructure.threads import Threads
from agentlog.projections.registry import AnyView
from agentlog.projections.view import Printed

_EQUAL_AT_LEAST = 2


class NoCandidate(InvalidInput):
    """Two runs have no step that could be put from one into the other."""


class Candidate(NamedTuple):
    """A step of a bad run, and what a good one has in its place: an answer, or a tool's result.

    `number` is that of its request in the run's own conversation, from 0.
    """

    kind: Literal["answer", "result"]
    version: int
    good_version: int
    cursor: Cursor
    number: int
    answer: JsonObject | None = None
    call_id: str = ""
    result: str = ""


def candidates(  # noqa: PLR0913 - what they are found by
    threads: Threads,
    comparer: Comparer,
    view: AnyView,
    *,
    bad: str,
    good: str,
    versions: Sequence[int] = (),
) -> list[Candidate]:
    """Return the steps that both runs have and that differ, of `versions` if any are named.

    Raises:
        NoCandidate: there is none, or the runs do not begin alike.
        NotRecorded, UnknownThread: a thread has no exchanges, or is not there.
    """
    compared = comparer.compare([SideAsked(bad), SideAsked(good)], view)
    (comparison,) = compared.comparisons
    first = comparison.divergence
    if not versions and (first is None or first.equal < _EQUAL_AT_LEAST):
        raise NoCandidate(
            f"{bad} and {good} are equal"
            if first is None
            else f"{bad} and {good} have fewer than {_EQUAL_AT_LEAST} steps in common at their "
            "beginning: name steps with --at"
        )
    pairs = [
        (comparison.a.items[a], comparison.b.items[b])
        for block in comparison.blocks
        if block.op == "changed"
        for a, b in zip(block.a, block.b, strict=True)
    ]
    runs = RecordedThread(threads, bad), RecordedThread(threads, good)
    made = [
        candidate
        for ours, theirs in pairs
        if not versions or ours.version in versions
        for candidate in _of_pair(*runs, ours, theirs)
    ]
    unknown = {*versions} - {candidate.version for candidate in made}
    if unknown or not made:
        named = ", ".join(map(str, sorted(unknown)))
        raise NoCandidate(
            f"{good} has no other answer or result in place of version {named} of {bad}"
            if unknown
            else f"{good} has no other answer or result in place of one of {bad}"
        )
    steps = {(step.kind, step.number, step.call_id): step for step in reversed(made)}
    return sorted(steps.values(), key=lambda step: step.version)


def _of_pair(
    bad: RecordedThread, good: RecordedThread, ours: Printed, theirs: Printed
) -> Iterator[Candidate]:
    """Yield what two items of one kind come to; none where they are no model's and no tool's."""
    item, other = ours.item, theirs.item
    if {item["role"], other["role"]} not in ({"assistant"}, {"tool"}):
        return
    cursor = bad.cursor(ours.version)
    if cursor.asked is None:
        return
    attempts = bad.answered(cursor.below.run)
    if cursor.asked.attempt not in attempts:
        return
    number = attempts.index(cursor.asked.attempt)
    step = Candidate("answer", ours.version, theirs.version, cursor, number)
    if item["role"] == "tool":
        call_id, result = text_at(item, "tool_call_id"), _text(other.get("content"))
        if call_id is not None:
            yield step._replace(kind="result", call_id=call_id, result=result)
        return
    asked = good.cursor(theirs.version).asked
    if asked is not None and asked.api == cursor.asked.api and asked.answer is not None:
        yield step._replace(answer=asked.answer)


def _text(content: JsonValue) -> str:
    return content if isinstance(content, str) else print_text(content)
