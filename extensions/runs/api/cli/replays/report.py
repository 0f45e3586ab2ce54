"""What came of a replay, in lines and as JSON."""

from collections.abc import Iterator

from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.extensions.runs.projections.tapes.tape import Difference, ReplayReport
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape


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
    if report.others:
        yield f"requests that ask no model, answered as recorded: {report.others}"
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
