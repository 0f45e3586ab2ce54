"""An agent's run in a test: before a tape, which answers its requests as recorded."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from agentlog.extensions.runs.api.gateway.replayer import Replaying, replaying
from agentlog.extensions.runs.api.gateway.upstreams import (
    Upstream,
    base_urls,
    environment_with,
    upstreams_of,
)
from agentlog.extensions.runs.api.testing.tools import ToolReplayer
from agentlog.extensions.runs.infrastructure.exchanges.machine import values_here
from agentlog.extensions.runs.infrastructure.exchanges.tool_calls import VARIABLE
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun
from agentlog.extensions.runs.projections.tapes.recorded_tools import ToolMode
from agentlog.extensions.runs.projections.tapes.request_keys import RUNGS
from agentlog.extensions.runs.projections.tapes.tape import ReplayReport, Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from agentlog.infrastructure.settings import ProviderSettings
from agentlog.projections.exchanges.exchange import Exchange

_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
"""Without these, clients refuse to start; a tape asks for none."""


class AgentRun:
    """What a test of an agent gets: addresses that answer as recorded, and tools that do.

    `base_url` has the address of each provider: `openai`, `anthropic`, `gemini`. `env` is the
    environment of a subprocess, with these addresses in the variables that clients read. `values`
    are texts of this machine that requests may hold, as `cwd` and `home`: change them where the
    agent runs elsewhere. `recorded_tool` makes tools that answer as recorded.
    """

    def __init__(
        self,
        replay: Replaying,
        values: dict[str, str],
        recorded_tool: ToolReplayer,
        tapes: tuple[Tape, ToolTape] | None = None,
    ) -> None:
        upstreams = providers()
        variables = {**base_urls(replay.url, upstreams), VARIABLE: replay.tools}
        self.base_url: Mapping[str, str] = {
            upstream.name: variables[upstream.variable] for upstream in upstreams
        }
        self.env = environment_with(variables)
        self.values = values
        self.recorded_tool = recorded_tool
        self._tape = None if tapes is None else tapes[0]
        self._tools = ToolTape("live") if tapes is None else tapes[1]
        self._shown = 0

    @property
    def report(self) -> ReplayReport:
        """How many requests were found by each rule, and what was not; empty while recording."""
        return ReplayReport() if self._tape is None else self._tape.report

    def problems(self, *, allow_unused: bool) -> Iterator[str]:
        """Yield what is not as recorded when a test is over, a line each."""
        yield from self.late_problems()
        yield from (str(missed) for _, missed in self._tools.missed)
        if allow_unused:
            return
        yield from (f"recorded, and not called: {call}" for _, call in self._tools.unused)
        if self._tape is not None:
            for exchange in self._tape.finish().unused:
                yield f"recorded, and not asked for: exchange {_name(exchange)}"
            if not any((*self.report.rungs.values(), self.report.unmatched)):
                yield "the test asked no model: does its client read a base URL of this fixture?"

    def late_problems(self) -> Iterator[str]:
        """Yield the requests not on the tape that no call before yielded, a line each."""
        unmatched = self.report.unmatched[self._shown :]
        self._shown += len(unmatched)
        for asked, difference in unmatched:
            yield f"not on the tape: request {_name(asked)} (tried: {', '.join(RUNGS)})"
            if difference is not None:
                yield from difference.lines()


@contextmanager
def replayed_agent(run: RecordedRun, *, mode: ToolMode) -> Iterator[AgentRun]:
    """Yield an agent's run before the tape of a recorded one, until the block ends."""
    values = values_here()
    tape = Tape(run)
    names = {upstream.name for upstream in providers()}
    tools = ToolTape.of_run(run, "recorded", matching=mode)
    with replaying(tape, tools, values, names=names) as replay:
        agent = AgentRun(replay, values, ToolReplayer(tools.own), (tape, tools))
        agent.env |= {key: "none" for key in _KEYS if key not in os.environ}
        yield agent


def providers() -> list[Upstream]:
    """Return the providers whose clients find a gateway."""
    return upstreams_of(ProviderSettings())


def _name(exchange: Exchange) -> str:
    return f"{exchange.attempt}, {exchange.method} {exchange.path}"
