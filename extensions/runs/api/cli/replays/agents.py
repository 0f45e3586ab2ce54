"""Replays of recorded agents: the same command before its tape, and what came of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from agentlog.api.cli.session import print_line, service_in
from agentlog.api.cli.terminal import printable
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.extensions.runs.api.cli.recording.commands import run_command
from agentlog.extensions.runs.api.gateway.replayer import replaying
from agentlog.extensions.runs.api.gateway.upstreams import base_urls, environment_with, upstreams_of
from agentlog.extensions.runs.infrastructure.exchanges.machine import values_here
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import tapes_of
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import VARIABLE
from agentlog.extensions.runs.projections.tapes.cassette import read_cassette
from agentlog.extensions.runs.projections.tapes.tape import Difference, ReplayReport, Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools, ToolTape
from agentlog.infrastructure.settings import ProviderSettings

_DIVERGES = 1


def replay_command(  # noqa: PLR0913 - one parameter a choice
    thread_id: str,
    command: Sequence[str],
    *,
    tools: Tools,
    by_place: bool,
    data_dir: Path | None,
    as_json: bool,
) -> int:
    """Run a command before the tape of a thread, say what came of it, and return the exit code.

    It is the command's own, if the command failed; else 0 where all was as recorded, 1 where not.
    """
    tape, tool_tape = _tapes(thread_id, tools, data_dir, by_place=by_place)
    upstreams = upstreams_of(ProviderSettings())
    names = {upstream.name for upstream in upstreams}
    with replaying(tape, tool_tape, values_here(), names=names) as replay:
        urls = base_urls(replay.url, upstreams)
        code = run_command(command, environment_with({**urls, VARIABLE: replay.tools})).code
    report = tape.finish()
    if as_json:
        counts = report_json(report, tool_tape)
        print_line({"threadId": thread_id, **counts, "commandExitCode": code})
    else:
        for line in report_lines(thread_id, report, tool_tape):
            typer.echo(printable(line), err=True)
    return code or (0 if report.is_equal and tool_tape.is_equal else _DIVERGES)


def _tapes(
    thread_id: str, tools: Tools, data_dir: Path | None, *, by_place: bool
) -> tuple[Tape, ToolTape]:
    """Return the tapes of a cassette, if there is a file of this name, else of a thread."""
    try:
        with Path(thread_id).open("rb") as file:
            recorded = read_cassette(file)
    except (OSError, ValueError):
        with service_in(data_dir) as service:
            return tapes_of(service.threads, thread_id, tools, by_place=by_place)
    return Tape(recorded, by_place=by_place), ToolTape.of_run(recorded, tools)


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
