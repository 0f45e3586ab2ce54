"""Candidates for the cause of a run's failure: steps that a good run or a person has otherwise."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from agentlog.domain.errors import InvalidInput
from agentlog.domain.json.text import print_text
from agentlog.domain.json.values import JsonObject, JsonValue, text_at
from agentlog.domain.messages import ToolResultsMessage
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import Cursor, RecordedThread
from agentlog.infrastructure.comparison.comparer import Comparer, SideAsked
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.registry import AnyView
from agentlog.projections.view import Printed

_EQUAL_AT_LEAST = 2


class NoCandidate(InvalidInput):
    """Two runs have no step that could be put from one into the other."""


class Candidate(NamedTuple):
    """A step of a bad run, and what is put in its place: an answer, or a tool's result.

    `good_version` is where a good run has that, if one does. `number` is that of its request in the
    run's own conversation, from 0.
    """

    kind: Literal["answer", "result"]
    version: int
    good_version: int | None
    cursor: Cursor
    number: int
    answer: Answer | JsonObject | None = None
    call_id: str = ""
    result: str = ""
    good_call_id: str = ""
    """The id of the call in the good run, whose answer may be put in too."""


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
    step = _step(bad, ours.version, theirs.version)
    if step is None:
        return
    if item["role"] == "tool":
        call_id, result = text_at(item, "tool_call_id"), _text(other.get("content"))
        if call_id is not None:
            good_call_id = text_at(other, "tool_call_id") or ""
            yield step._replace(
                kind="result", call_id=call_id, result=result, good_call_id=good_call_id
            )
        return
    asked = good.cursor(theirs.version).asked
    api = None if step.cursor.asked is None else step.cursor.asked.api
    if asked is not None and asked.api == api and asked.answer is not None:
        yield step._replace(answer=asked.answer)


def _step(bad: RecordedThread, version: int, good_version: int | None) -> Candidate | None:
    """Return the step of the request that a version is of; None where no model answered it."""
    cursor = bad.cursor(version)
    attempts = bad.answered(cursor.below.run)
    if cursor.asked is None or cursor.asked.attempt not in attempts:
        return None
    number = attempts.index(cursor.asked.attempt)
    return Candidate("answer", version, good_version, cursor, number)


def given_candidates(
    threads: Threads,
    bad: str,
    answers: Mapping[int, Answer | JsonObject],
    results: Mapping[str, str],
) -> list[Candidate]:
    """Return steps of a run for which a person has answers, by version, and results, by call.

    Raises:
        NoCandidate: the run has no such step.
        NotRecorded, UnknownThread: a thread has no exchanges, or is not there.
    """
    run = RecordedThread(threads, bad)
    made: list[Candidate] = []
    for version, answer in answers.items():
        step = _step(run, version, None)
        if step is None:
            raise NoCandidate(f"{bad} has no answer of a model at version {version} or after it")
        made.append(step._replace(answer=answer))
    for call_id, result in results.items():
        place = _version_of_result(threads, bad, call_id)
        step = None if place is None else _step(run, place, None)
        if step is None:
            raise NoCandidate(f"{bad} has no result of a call {call_id!r} that a model was sent")
        made.append(step._replace(kind="result", call_id=call_id, result=result))
    return sorted(made, key=lambda step: step.version)


def _version_of_result(threads: Threads, thread_id: str, call_id: str) -> int | None:
    for event in threads.messages(thread_id, types=["tool_results"]):
        message = event.message
        if isinstance(message, ToolResultsMessage) and any(
            result.call_id == call_id for result in message.results
        ):
            return event.version
    return None


def _text(content: JsonValue) -> str:
    return content if isinstance(content, str) else print_text(content)
