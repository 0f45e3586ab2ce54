"""Replays of recorded agents: the same command before its tape, and what came of it."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import typer

from agentlog.api.cli.exchanges.commands import run_command
from agentlog.api.cli.session import print_line, printable, service_in
from agentlog.api.gateway.replayer import replaying
from agentlog.api.gateway.upstreams import base_urls, environment_with, upstreams_of
from agentlog.domain.json.values import JsonObject, JsonValue
from agentlog.infrastructure.exchanges.machine import values_here
from agentlog.infrastructure.exchanges.recorded_runs import tape_of
from agentlog.infrastructure.settings import ProviderSettings
from agentlog.projections.exchanges.tapes.cassette import read_cassette
from agentlog.projections.exchanges.tapes.tape import ReplayReport, Tape

_DIVERGES = 1


def replay_command(
    thread_id: str, command: Sequence[str], *, data_dir: Path | None, as_json: bool
) -> int:
    """Run a command before the tape of a thread, say what came of it, and return the exit code.

    It is the command's own, if the command failed; else 0 where all was as recorded, 1 where not.
    """
    tape = _tape(thread_id, data_dir)
    upstreams = upstreams_of(ProviderSettings())
    names = {upstream.name for upstream in upstreams}
    with replaying(tape, values_here(), names=names) as url:
        code = run_command(command, environment_with(base_urls(url, upstreams))).code
    report = tape.finish()
    if as_json:
        print_line({"threadId": thread_id, **report_json(report), "commandExitCode": code})
    else:
        for line in report_lines(thread_id, report):
            typer.echo(printable(line), err=True)
    return code or (0 if report.is_equal else _DIVERGES)


def _tape(thread_id: str, data_dir: Path | None) -> Tape:
    """Return the tape of a cassette, if there is a file of this name, else of a thread."""
    try:
        with Path(thread_id).open("rb") as file:
            recorded = read_cassette(file)
    except (OSError, ValueError):
        with service_in(data_dir) as service:
            return tape_of(service.threads, thread_id)
    return Tape(recorded)


def report_lines(thread_id: str, report: ReplayReport) -> Iterator[str]:
    """Yield what came of a replay, in lines to read."""
    counted = [*report.rungs.items(), ("put in", report.given)]
    counts = ", ".join(f"{count} {what}" for what, count in counted if count)
    yield f"{thread_id}: {counts or 'nothing from the tape'}; live calls: {report.live}"
    if report.reconstructed:
        yield (
            f"built from messages: {report.reconstructed}; system prompt, tools and parameters "
            "are not known, and not compared"
        )
    if report.others:
        yield f"requests that ask no model, answered as recorded: {report.others}"
    for asked, difference in report.unmatched:
        yield f"not on the tape: request {asked.attempt}, {asked.method} {asked.path}"
        if difference is not None:
            yield from difference.lines()
    for exchange in report.unused:
        yield f"not asked for: exchange {exchange.attempt}, {exchange.method} {exchange.path}"


def report_json(report: ReplayReport) -> JsonObject:
    """Return what came of a replay as JSON."""
    unmatched: list[JsonValue] = [
        {
            "request": asked.attempt,
            "path": asked.path,
            "nearest": None if difference is None else difference.attempt,
            "place": None if difference is None else difference.place,
            "recorded": None if difference is None else difference.recorded,
            "asked": None if difference is None else difference.asked,
        }
        for asked, difference in report.unmatched
    ]
    unused: list[JsonValue] = [exchange.attempt for exchange in report.unused]
    counts: JsonObject = dict(report.rungs.items())
    return {
        **counts,
        "others": report.others,
        "reconstructed": report.reconstructed,
        "unmatched": unmatched,
        "unused": unused,
        "given": report.given,
        "liveCalls": report.live,
    }
