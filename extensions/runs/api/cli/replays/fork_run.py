"""One fork of a recorded run: its agent, answered from the tape up to a cursor, then live."""

import secrets
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from agentlog.api.cli.session import InvalidOption
from agentlog.api.composition import Service
from agentlog.domain.identifiers import Ulids
from agentlog.domain.json.values import JsonObject
from agentlog.domain.messages import LlmResponseMessage
from agentlog.domain.points_in_time import AtVersion
from agentlog.extensions.runs.api.cli.recording.commands import Ended, run_command, uploading
from agentlog.extensions.runs.api.cli.replays.report import kept_json
from agentlog.extensions.runs.api.gateway.replayer import Fork, replaying
from agentlog.extensions.runs.api.gateway.upstreams import base_urls, environment_with, upstreams_of
from agentlog.extensions.runs.infrastructure.exchanges.machine import values_here
from agentlog.extensions.runs.infrastructure.exchanges.recorded_runs import Cursor, threads_below
from agentlog.extensions.runs.infrastructure.exchanges.spool import Header, SpoolWriter, own_spool
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import VARIABLE
from agentlog.extensions.runs.infrastructure.exchanges.uploader import Uploader
from agentlog.extensions.runs.projections.tapes.changes import Changes
from agentlog.extensions.runs.projections.tapes.tape import ReplayReport, Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import Tools, ToolTape
from agentlog.extensions.runs.projections.written.answers import written_exchange
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.forks.forker import Forked
from agentlog.infrastructure.settings import ProviderSettings
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.exchange import REPLAY_TYPE
from agentlog.projections.outcomes.pairs import identity_of
from agentlog.projections.prices import cost_of


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
    check: str | None = None
    """A command in a shell, where $1 is the fork; exit code 0 passes."""

    @property
    def changed(self) -> str | None:
        """What the fork changes, in words; None where nothing."""
        given = ["answer"] if self.answers else []
        return ", ".join([*self.changes.words, *given]) or None


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


class _Live(NamedTuple):
    """What came of the command of a fork."""

    run: str
    origin: JsonObject
    report: ReplayReport
    tools: ToolTape
    ended: Ended
    seconds: float
    unmet: Sequence[str]


def run_fork(service: Service, spool_dir: Path, order: ForkOrder, cursor: Cursor) -> ForkRun:
    """Run a command from a cursor into a fork.

    Raises:
        OtherApi: an answer is none of the API that the agent asks.
    """
    if cursor.asked is not None:
        for answer in order.answers.values():
            written_exchange(cursor.asked, answer)
    made = _make(service, order, cursor.version)
    live = _run_live(service, spool_dir, order, cursor, made.thread_id)
    _keep_report(service.threads, order, made.thread_id, live)
    figures = figures_of(service.threads, made.thread_id, made.version)
    errors = service.threads.messages(made.thread_id, after=made.version, types=["runtime_error"])
    check = None if live.ended.is_interrupted else order.check
    passed = None if check is None else _passes(check, made.thread_id)
    checked: JsonObject = {} if passed is None else {"check": "passed" if passed else "failed"}
    # what comes first is seen where there is room for few
    outcome = {**checked, "liveCalls": live.report.live, "unmet": len(live.unmet)}
    service.threads.annotate(made.thread_id, outcome)
    return ForkRun(
        made.thread_id,
        cursor.version,
        order.changes.model,
        live.report,
        live.tools,
        *live.ended,
        live.seconds,
        *figures,
        unmet=live.unmet,
        failures=len(errors),
        passed=passed,
    )


def _run_live(
    service: Service, spool_dir: Path, order: ForkOrder, cursor: Cursor, thread_id: str
) -> _Live:
    """Run the command, answered from the tape up to the cursor, and record it into a thread."""
    whole, below, version, asked = cursor
    upstreams = upstreams_of(ProviderSettings())
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
    mask = service.threads.mask
    rule = None if mask is None else mask.source
    header = Header(run, thread_id, None, values_here(), facts, mask=rule)
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
        if (failure := uploader.finish(service.threads)) is not None:
            raise failure
    unmet = [
        *(f"the answer to request {number + 1} from there on" for number in fork.answers),
        *(f"the result of call {call}" for call in order.changes.results.keys() - fork.results),
    ]
    return _Live(run, origin, tape.finish(), tools, ended, seconds, unmet)


def _keep_report(threads: Threads, order: ForkOrder, thread_id: str, live: _Live) -> None:
    kept: JsonObject = {
        "run": live.run,
        "of": live.origin,
        "changes": order.changed,
        **kept_json(threads, thread_id, live.run, live.report, live.tools),
        "unmet": [*live.unmet],
        "commandExitCode": live.ended.code,
    }
    threads.append(thread_id, [{"type": REPLAY_TYPE, "payload": kept}])


def _make(service: Service, order: ForkOrder, version: int) -> Forked:
    """Make the thread that the run goes into, whose metadata say what it changes."""
    changed: JsonObject = {} if order.changed is None else {"changes": order.changed}
    metadata: JsonObject = {"source": "replay", **changed}
    made = service.own.forker.fork(
        order.thread_id,
        AtVersion(version),
        as_thread=order.as_thread,
        facts={"metadata": metadata},
    )
    if made.replayed:
        raise InvalidOption(f"--as {made.thread_id}: the fork is there already")
    return made


class Figures(NamedTuple):
    """Tokens in and out of a model's answers, and their cost in US dollars; None: not known."""

    tokens: tuple[int | None, int | None]
    cost_usd: float | None


def figures_of(threads: Threads, thread_id: str, after: int) -> Figures:
    """Return the figures of a thread's answers after a version, and of all in threads below it."""
    events = threads.messages(thread_id, after=after, types=["llm_response"])
    for child in threads_below(threads, thread_id):
        events += threads.messages(child, types=["llm_response"])
    last_told = {identity_of(event) or event.message_id: event.message for event in events}
    responses = [last for last in last_told.values() if isinstance(last, LlmResponseMessage)]
    usages = [answer.usage for answer in responses if answer.usage is not None]
    tokens = (
        _sum(usage.input_tokens for usage in usages),
        _sum(usage.output_tokens for usage in usages),
    )
    return Figures(tokens, sum_of([cost_of(answer, answer.model).usd for answer in responses]))


def sum_of(costs: Sequence[float | None]) -> float | None:
    """Return the sum of costs; None where there is none, or one is not known."""
    known = [cost for cost in costs if cost is not None]
    return sum(known) if known and len(known) == len(costs) else None


def _sum(counts: Iterable[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _passes(check: str, thread_id: str) -> bool:
    words = ["sh", "-c", check, "sh", thread_id]
    return subprocess.run(words, check=False, stdout=sys.stderr).returncode == 0  # noqa: S603 - the user's own
