"""What came of a replay, in lines and as JSON."""

from collections.abc import Iterator, Mapping
from itertools import count, dropwhile, takewhile

from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonObject, JsonValue, array_of, object_of
from agentlog.extensions.runs.projections.tapes.tape import Difference, ReplayReport
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import TYPE


def report_lines(thread_id: str, report: ReplayReport, tools: ToolTape) -> Iterator[str]:
    """Yield what came of a replay, in lines to read."""
    counted = [*report.rungs.items(), ("by place", report.placed), ("put in", report.given)]
    counts = ", ".join(f"{count} {what}" for what, count in counted if count)
    calls = {
        "live": "",
        "recorded": f", {tools.answered} calls",
        "refuse": f", {tools.refused} calls",
    }
    what = f"{counts or 'nothing from the tape'}; live calls: {report.live}"
    yield f"{thread_id}: {what}; tools: {tools.mode}{calls[tools.mode]}"
    if report.reconstructed:
        yield (
            f"built from messages: {report.reconstructed}; system prompt, tools and parameters "
            "are not known, and not compared"
        )
    yield from _remarks(report)
    for answer in report.answers:
        if answer.by == "place" and answer.difference is not None:
            yield f"answered by its place alone: request {answer.request}"
            yield from answer.difference.lines()
    for asked, difference in report.unmatched:
        yield f"not on the tape: request {asked.attempt}, {asked.method} {asked.path}"
        if difference is not None:
            yield from difference.lines()
    for exchange in report.unused:
        yield f"not asked for: exchange {exchange.attempt}, {exchange.method} {exchange.path}"
    for server, missed in tools.missed:
        yield f"tool {_of(server)}: {missed}"
    for server, call in tools.unused:
        yield f"tool {_of(server)}: recorded, and not called: {call}"


def _remarks(report: ReplayReport) -> Iterator[str]:
    if report.masked:
        yield f"masked on record: {report.masked} exchanges; requests are compared masked"
    if report.others:
        yield f"requests that ask no model, answered as recorded: {report.others}"


def _of(server: str | None) -> str:
    return "of the agent" if server is None else f"of the MCP server {server}"


def report_json(report: ReplayReport, tools: ToolTape) -> JsonObject:
    """Return what came of a replay as JSON."""
    answers: list[JsonValue] = [
        {
            "request": answer.request,
            "by": answer.by,
            "attempt": answer.attempt,
            **(_forms(answer.difference) if answer.difference is not None else {}),
        }
        for answer in report.answers
    ]
    unmatched: list[JsonValue] = [
        {
            "request": asked.attempt,
            "path": asked.path,
            "nearest": None if difference is None else difference.attempt,
            **_forms(difference),
        }
        for asked, difference in report.unmatched
    ]
    unused: list[JsonValue] = [exchange.attempt for exchange in report.unused]
    counts: JsonObject = dict(report.rungs.items())
    return {
        **counts,
        "place": report.placed,
        "others": report.others,
        "reconstructed": report.reconstructed,
        **({"masked": report.masked} if report.masked else {}),
        "answers": answers,
        "unmatched": unmatched,
        "unused": unused,
        "given": report.given,
        "liveCalls": report.live,
        "tools": _tools_json(tools),
    }


def _tools_json(tools: ToolTape) -> JsonObject:
    unmatched: list[JsonValue] = []
    for server, missed in tools.missed:
        nearest = missed.difference
        unmatched.append(
            {
                "server": server,
                "tool": missed.name,
                "arguments": missed.arguments,
                "nearest": None if nearest is None else nearest.nearest.arguments,
                "place": None if nearest is None else nearest.place,
            }
        )
    return {
        "mode": tools.mode,
        "answered": tools.answered,
        "refused": tools.refused,
        "unmatched": unmatched,
        "unused": [
            {"server": server, "tool": call.name, "arguments": call.arguments}
            for server, call in tools.unused
        ],
    }


def _forms(difference: Difference | None) -> JsonObject:
    """Return the place of a difference and both forms of it."""
    if difference is None:
        return {"place": None, "recorded": None, "asked": None}
    return {
        "place": difference.place,
        "recorded": difference.recorded,
        "asked": difference.asked,
    }


_BEGINNING = 1024
"""Most bytes that are read of each message: its type alone is asked for."""


def kept_json(
    threads: Threads, thread_id: str, run: str, report: ReplayReport, tools: ToolTape
) -> JsonObject:
    """Return the report of the replay `run`; each answer names its messages in the fork.

    Those are its exchange and what that means, by their ids, which stay when they are copied on.
    """
    events = threads.messages(thread_id, most_bytes=_BEGINNING)
    types = {event.message_id: event.type for event in events}
    document = report_json(report, tools)
    answers: list[JsonValue] = []
    for answer, shape in zip(report.answers, array_of(document["answers"]), strict=True):
        messages = _messages(types, answer.run or run, answer.attempt)
        answers.append({**object_of(shape), "messages": messages})
    return {**document, "answers": answers}


def _messages(types: Mapping[str, str], run: str, attempt: int) -> list[JsonValue]:
    """Return the ids of an attempt's messages from its exchange on; none of another thread's."""
    ids = (derived_message_id(run, attempt, number) for number in count())
    own = takewhile(types.__contains__, ids)
    return [*dropwhile(lambda message_id: types[message_id] != TYPE, own)]
