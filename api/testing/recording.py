"""An agent's run in a test before its providers, recorded into a cassette without a log."""

import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from typing_extensions import override

from agentlog.api.gateway.recorder import recording
from agentlog.api.testing.agent_run import AgentRun, providers
from agentlog.api.testing.tools import Parse, ToolReplayer
from agentlog.domain.errors import InvalidInput
from agentlog.domain.identifiers import Ulids
from agentlog.domain.json.text import print_bytes
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.exchanges.machine import values_here
from agentlog.infrastructure.exchanges.spool import Header, SpoolReader, create_spool
from agentlog.projections.exchanges.exchange import payload_of
from agentlog.projections.exchanges.tapes.cassette import RecordedRun, cassette_lines


class NothingRecorded(InvalidInput):
    """A test that is to be recorded asked no model."""

    def __init__(self) -> None:
        super().__init__(
            "nothing to record: does the test's client read a base URL of the fixture?"
        )


class NoFunction(InvalidInput):
    """A tool that is to be recorded has only a name."""


class LiveTools(ToolReplayer):
    """Tools that run, while their calls are recorded."""

    def __init__(self) -> None:
        super().__init__([])

    @override
    def __call__(
        self, tool: Callable[..., Any] | str, *, name: str | None = None, parse: Parse | None = None
    ) -> Callable[..., Any]:
        if isinstance(tool, str):
            raise NoFunction(f"recorded_tool({tool!r}) cannot be recorded: give it the function")
        return tool


@contextmanager
def recorded_agent(cassette: Path, *, is_kept: Callable[[], bool]) -> Iterator[AgentRun]:
    """Yield an agent's run before its providers, and write its cassette where the block ends.

    `is_kept` says then whether it is written.

    Raises:
        NothingRecorded: no request came.
    """
    run = Ulids(wall_clock, secrets.randbits)()
    with tempfile.TemporaryDirectory() as folder:
        spool = create_spool(Path(folder), Header(run, run))
        origins = {upstream.name: upstream.origin for upstream in providers()}
        with recording(spool, origins) as recorder:
            agent = AgentRun(recorder.url, values_here(), LiveTools(), None)
            yield agent
        if is_kept():
            _write(cassette, _recorded(spool, run, agent.values))


def _recorded(spool: Path, run: str, values: dict[str, str]) -> RecordedRun:
    reader = SpoolReader(spool)
    exchanges = [*reader.read(), *reader.unfinished()]
    if not any(exchange.api for exchange in exchanges):
        raise NothingRecorded
    return RecordedRun(run, [payload_of(exchange, run) for exchange in exchanges], values)


def _write(cassette: Path, run: RecordedRun) -> None:
    """Write a cassette whole or not at all, for its own user alone."""
    with tempfile.NamedTemporaryFile(dir=cassette.parent, delete=False) as file:
        file.writelines(print_bytes(line) + b"\n" for line in cassette_lines(run))
    Path(file.name).replace(cassette)
