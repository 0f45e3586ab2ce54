"""An agent's run in a test before its providers, recorded into a cassette without a log."""

import secrets
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from agentlog.domain.errors import InvalidInput
from agentlog.domain.identifiers import Ulids
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject
from agentlog.extensions.runs.api.gateway.recorder import recording
from agentlog.extensions.runs.api.gateway.replayer import BOUNDS, Replaying
from agentlog.extensions.runs.api.testing.agent_run import AgentRun, providers
from agentlog.extensions.runs.api.testing.tools import LiveTools
from agentlog.extensions.runs.infrastructure.exchanges.machine import values_here
from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolReader,
    create_spool,
)
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange, mcp_payload
from agentlog.extensions.runs.projections.tapes.cassette import RecordedRun, cassette_lines
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.projections.exchanges.exchange import Exchange, payload_of


class NothingRecorded(InvalidInput):
    """A test that is to be recorded asked no model."""

    def __init__(self) -> None:
        super().__init__(
            "nothing to record: does the test's client read a base URL of the fixture?"
        )


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
        with recording(spool, origins, most_bytes=BOUNDS.kept) as recorder:
            agent = AgentRun(Replaying(recorder.url, str(spool)), values_here(), LiveTools())
            yield agent
        if is_kept():
            _write(cassette, _recorded(spool, run, agent.values))


def _recorded(spool: Path, run: str, values: dict[str, str]) -> RecordedRun:
    reader = SpoolReader(spool)
    exchanges: list[Exchange] = []
    mcp_payloads: list[JsonObject] = []
    for exchange in (*reader.read(), *reader.unfinished()):
        if isinstance(exchange, McpExchange):
            mcp_payloads.append(mcp_payload(exchange, run))
        else:
            exchanges.append(exchange)
    if not any(exchange.api for exchange in exchanges):
        raise NothingRecorded
    payloads = [payload_of(exchange, run) for exchange in exchanges]
    return RecordedRun(run, payloads, values, mcp_payloads=mcp_payloads)


def _write(cassette: Path, run: RecordedRun) -> None:
    """Write a cassette whole or not at all, for its own user alone."""
    with tempfile.NamedTemporaryFile(dir=cassette.parent, delete=False) as file:
        file.writelines(print_bytes(line) + b"\n" for line in cassette_lines(run))
    Path(file.name).replace(cassette)
