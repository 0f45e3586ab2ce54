"""Replays that are kept: an agent is answered from its tape up to a cursor, and goes on live."""

import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import typer

from agentlog.api.cli.exchanges.commands import run_command, uploading
from agentlog.api.cli.runs.agents import report_json, report_lines
from agentlog.api.cli.session import (
    InvalidOption,
    print_line,
    print_listing,
    printable,
    service_in,
    settings_with,
)
from agentlog.api.composition import Service
from agentlog.api.gateway.replayer import Fork, replaying
from agentlog.api.gateway.upstreams import base_urls, environment_with, upstreams_of
from agentlog.domain.identifiers import Ulids
from agentlog.domain.json.values import JsonObject
from agentlog.domain.messages import LlmResponseMessage
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.exchanges.machine import values_here
from agentlog.infrastructure.exchanges.recorded_runs import Cursor, RecordedThread
from agentlog.infrastructure.exchanges.spool import Header, SpoolWriter, own_spool
from agentlog.infrastructure.exchanges.tool_calls import VARIABLE
from agentlog.infrastructure.exchanges.uploader import Uploader
from agentlog.infrastructure.settings import ProviderSettings
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.recording import REPLAY_TYPE
from agentlog.projections.exchanges.tapes.cassette import RecordedRun
from agentlog.projections.exchanges.tapes.changes import Changes
from agentlog.projections.exchanges.tapes.hazards import hazards
from agentlog.projections.exchanges.tapes.tape import ReplayReport, Tape
from agentlog.projections.exchanges.tapes.tool_tape import Tools, ToolTape
from agentlog.projections.exchanges.written.answers import written_exchange
from agentlog.projections.prices import cost_of

_DIVERGES = 1
_COLUMNS = {"model": 0, "verdict": 7, "in": 2, "out": 3, "cost": 4, "time": 4, "fork": 0}


@dataclass(frozen=True, slots=True)
class ForkOrder:
    """What is replayed and kept: all of a run, or up to the answer at version `begin`."""

    thread_id: str
    command: Sequence[str]
    begin: int | None
    changes: Changes
    answers: Mapping[int, Answer | JsonObject] = field(default_factory=dict)
    """What the model says in its place, by the number of the request from `begin` on, from 0."""
    as_thread: str | None = None
    tools: Tools = "live"
    output: int | None = None
    """The descriptor that the command prints to; None is ours."""


class ForkRun(NamedTuple):
    """How a fork went: the command's exit code, what it took, and what a check says of it."""

    thread_id: str
    version: int
    model: str | None
    report: ReplayReport
    tools: ToolTape
    code: int
    is_interrupted: bool
    seconds: float
    tokens: tuple[int | None, int | None]
    cost_usd: float | None
    unmet: Sequence[str]
    """The answers and results that the run never came to."""
    failures: int
    """How many requests the provider did not answer."""
    passed: bool | None = None

    @property
    def counts(self) -> bool:
        """Whether the run is what was ordered: as recorded at first, then with all changes."""
        return self.report.is_equal and self.tools.is_equal and not self.unmet

    @property
    def is_good(self) -> bool:
        """Whether it is what was ordered, the command ended well, and the check passed."""
        return self.counts and not self.code and self.passed is not False


def fork_command(  # noqa: PLR0913 - one parameter a choice
    order: ForkOrder,
    models: Sequence[str | None],
    *,
    check: str | None,
    yes: bool,
    data_dir: Path | None,
    as_json: bool,
) -> int:
    """Run a command once for each model, into a fork of its own, and return the exit code.

    None is the model that the agent asks.
    """
    runs = []
    with service_in(data_dir) as service:
        check_command(order.command)
        cursor = RecordedThread(service.threads, order.thread_id).cursor(order.begin)
        if cursor.asked is not None:
            allow(cursor.whole, order.tools, yes=yes)
        try:
            for model in models:
                own = replace(order, changes=replace(order.changes, model=model))
                run = run_fork(service, settings_with(data_dir=data_dir).spool_dir, own, cursor)
                if check is not None and not run.is_interrupted:
                    run = run._replace(passed=passes(check, run))
                runs.append(run)
                if as_json:
                    print_line(_json(run, order.thread_id))
                else:
                    _print(run, order)
                if run.is_interrupted and len(models) > 1:
                    raise KeyboardInterrupt
        finally:
            if len(models) > 1 and runs and not as_json:
                print_listing(_COLUMNS, [_cells(run) for run in runs])
    if len(runs) > 1:
        return 0 if all(run.is_good for run in runs) else _DIVERGES
    return runs[0].code or (0 if runs[0].is_good else _DIVERGES)


def check_command(command: Sequence[str]) -> None:
    """Raise `InvalidOption` if there is no such command, before anything is written."""
    if shutil.which(command[0]) is None:
        raise InvalidOption(f"{command[0]}: there is no such command")


def allow(run: RecordedRun, tools: Tools, *, yes: bool, cost: str | None = None) -> None:
    """Say which calls of a run may be made again, and what it costs, and ask whether it may."""
    calls = hazards(run, tools)
    names = ", ".join(f"{name} ({count})" for name, count in calls.most_common())
    wrapped = "" if tools == "live" else " but those behind mcp-proxy and recorded_tool"
    effects = f"tools of the agent{wrapped} run again, and may have effects: {names}"
    parts = (effects if calls else None, cost)
    text = printable("; ".join(part for part in parts if part is not None))
    if yes or not text:
        return
    if not sys.stdin.isatty():
        raise InvalidOption(f"{text}; --yes goes on")
    typer.confirm(f"{text}. Go on?", abort=True, err=True)


def run_fork(service: Service, spool_dir: Path, order: ForkOrder, cursor: Cursor) -> ForkRun:
    """Run a command from a cursor into a fork.

    Raises:
        OtherApi: an answer is none of the API that the agent asks.
    """
    whole, below, version, asked = cursor
    if asked is not None:
        for answer in order.answers.values():
            written_exchange(asked, answer)
    upstreams = upstreams_of(ProviderSettings())
    made = service.own.forker.fork(
        order.thread_id,
        AtVersion(version),
        as_thread=order.as_thread,
        facts={"metadata": {"source": "replay"}},
    )
    if made.replayed:
        raise InvalidOption(f"--as {made.thread_id}: the fork is there already")
    origin: JsonObject = {
        "threadId": order.thread_id,
        "version": version,
        "run": below.run,
        "attempt": None if asked is None else asked.attempt,
    }
    changes = below.changes.then(order.changes)
    facts: JsonObject = {"origin": origin, "changes": changes.payload}
    if order.answers:
        facts["answersGiven"] = len(order.answers)
    run = Ulids(wall_clock, secrets.randbits)()
    tape = Tape(below, asked)
    tools = ToolTape.of_run(whole, order.tools, is_whole=asked is None)
    origins = {upstream.name: upstream.origin for upstream in upstreams}
    header = Header(run, made.thread_id, None, values_here(), facts)
    with own_spool(spool_dir, header) as spool:
        fork = Fork(SpoolWriter(spool), origins, changes, dict(order.answers))
        uploader = Uploader(spool)
        began = time.monotonic()
        with replaying(tape, tools, values_here(), names=origins, fork=fork) as replay:
            urls = base_urls(replay.url, upstreams)
            environment = environment_with({**urls, VARIABLE: replay.tools})
            upload = uploading(uploader, service)
            ended = run_command(order.command, environment, upload, output=order.output)
        seconds = time.monotonic() - began
        uploader.upload(service.threads, is_over=True)
        spool.unlink()
    report = tape.finish()
    kept: JsonObject = {
        "run": run,
        "of": origin,
        **report_json(report, tools),
        "commandExitCode": ended.code,
    }
    service.threads.append(made.thread_id, [{"type": REPLAY_TYPE, "payload": kept}])
    tokens, cost = _figures(service, made.thread_id, made.version)
    model = order.changes.model
    errors = service.threads.messages(made.thread_id, after=made.version, types=["runtime_error"])
    unmet = [
        *(f"the answer to request {number + 1} from there on" for number in fork.answers),
        *(f"the result of call {call}" for call in order.changes.results.keys() - fork.results),
    ]
    return ForkRun(
        made.thread_id,
        version,
        model,
        report,
        tools,
        *ended,
        seconds,
        tokens,
        cost,
        unmet=unmet,
        failures=len(errors),
    )


def _figures(
    service: Service, thread_id: str, after: int
) -> tuple[tuple[int | None, int | None], float | None]:
    """Return the tokens in and out and the dollars of what is the fork's own."""
    events = service.threads.messages(thread_id, after=after, types=["llm_response"])
    answers = [event.message for event in events]
    responses = [answer for answer in answers if isinstance(answer, LlmResponseMessage)]
    usages = [answer.usage for answer in responses if answer.usage is not None]
    tokens = (
        _sum(usage.input_tokens for usage in usages),
        _sum(usage.output_tokens for usage in usages),
    )
    costs = [cost_of(answer, answer.model).usd for answer in responses]
    known = [cost for cost in costs if cost is not None]
    return tokens, sum(known) if known and len(known) == len(costs) else None


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def passes(check: str, run: ForkRun) -> bool:
    """Return whether a shell command ends with 0; `$1` there is the fork."""
    words = ["sh", "-c", check, "sh", run.thread_id]
    return subprocess.run(words, check=False, stdout=sys.stderr).returncode == 0  # noqa: S603 - the user's own


def _print(run: ForkRun, order: ForkOrder) -> None:
    for line in _lines(run, order):
        typer.echo(printable(line), err=True)


def _lines(run: ForkRun, order: ForkOrder) -> Iterator[str]:
    yield f"{run.thread_id}: forked from {order.thread_id} at version {run.version}"
    yield from report_lines(run.thread_id, run.report, run.tools)
    for change in run.unmet:
        yield f"never came to: {change}"
    if run.passed is not None:
        yield f"check: {'passed' if run.passed else 'failed'}"


def _cells(run: ForkRun) -> list[str | None]:
    verdict = "passed" if run.is_good else "failed"
    tokens = [None if count is None else str(count) for count in run.tokens]
    cost = None if run.cost_usd is None else f"${run.cost_usd:.6f}"
    return [run.model, verdict, *tokens, cost, f"{run.seconds:.1f} s", run.thread_id]


def _json(run: ForkRun, origin: str) -> JsonObject:
    return {
        "threadId": run.thread_id,
        "forkedFrom": {"thread": origin, "version": run.version},
        "model": run.model,
        **report_json(run.report, run.tools),
        "unmet": [*run.unmet],
        "commandExitCode": run.code,
        "check": None if run.passed is None else "passed" if run.passed else "failed",
        "inputTokens": run.tokens[0],
        "outputTokens": run.tokens[1],
        "costUsd": run.cost_usd,
        "seconds": round(run.seconds, 3),
    }
