"""What a rule masks is in no spool file, and a replay of what was masked finds it."""

import json
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from agentlog.extensions.runs.infrastructure.exchanges.gateway_files import (
    GatewayFile,
    GatewayFiles,
)
from agentlog.extensions.runs.infrastructure.exchanges.mcp_spool import (
    McpBeginning,
    McpEnding,
    SpoolAppender,
)
from agentlog.extensions.runs.infrastructure.exchanges.rules import Rules
from agentlog.extensions.runs.infrastructure.exchanges.spool import (
    Header,
    SpoolReader,
    SpoolWriter,
    create_spool,
)
from agentlog.extensions.runs.infrastructure.exchanges.uploader import Uploader
from agentlog.extensions.runs.projections.mcp_exchange import McpExchange, mcp_payload
from agentlog.extensions.runs.projections.tapes.cassette import run_of
from agentlog.extensions.runs.projections.tapes.tape import Answered, Tape
from agentlog.extensions.runs.projections.tapes.tool_tape import ToolTape
from agentlog.infrastructure.appending.masks import TenantMasks
from agentlog.infrastructure.definitions.definitions import Definitions
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable
from agentlog.infrastructure.threads import Threads
from agentlog.projections.exchanges.exchange import Exchange, payload_of
from agentlog.projections.exchanges.masking import masked_exchange
from agentlog.projections.masking.rule import parse_mask
from tests.infrastructure.appends import TENANT, Ids
from tests.planted import RULE, Planted

PATH = "/v1/chat/completions"


@pytest.fixture
def planted() -> Planted:
    return Planted(Random(11))  # noqa: S311 - of a test


def streamed(planted: Planted, attempt: int = 1) -> Exchange:
    """An exchange whose answer came in pieces; its call has secrets in its arguments."""
    asked = {"model": "m", "stream": True, "messages": [{"role": "user", "content": planted.text}]}
    said, arguments = planted.text, json.dumps(planted.arguments)
    call: Any = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "send"}}
    deltas: list[Any] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": said[at : at + 5]} for at in range(0, len(said), 5)]
    deltas.append({"tool_calls": [call]})
    for at in range(0, len(arguments), 5):
        part = {"index": 0, "function": {"arguments": arguments[at : at + 5]}}
        deltas.append({"tool_calls": [part]})
    chunks: list[Any] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    stream = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return Exchange(
        *(attempt, "POST", PATH, json.dumps(asked).encode(), "complete", 1, 9.0, 200),
        headers={"content-type": "text/event-stream"},
        response=stream.encode(),
        chunks=[(0, 1.0), (len(stream) // 2, 5.0)],
    )


def test_a_spool_holds_nothing_that_is_masked(tmp_path: Path, planted: Planted) -> None:
    path = create_spool(tmp_path, Header("run", "thread", mask=RULE))
    writer = SpoolWriter(path)
    writer.keep(streamed(planted))
    arguments = msgspec.Raw(json.dumps({"name": "t", "arguments": planted.arguments}).encode())
    tools = SpoolAppender(path)
    tools.write(McpBeginning("n", "s", "tools/call", arguments, 1))
    content = {"content": [{"type": "text", "text": planted.text}]}
    tools.write(
        McpEnding("n", "complete", 1.0, "result", msgspec.Raw(json.dumps(content).encode()))
    )
    assert [*planted.leaks(path.read_bytes())] == []
    exchange, _ = SpoolReader(path).read()
    assert isinstance(exchange, Exchange)
    assert exchange.mask is not None
    assert exchange.answer is not None
    message: Any = exchange.answer["choices"][0]["message"]
    assert "[masked: email, " in message["content"]
    assert message["tool_calls"][0]["id"] == "call_1"
    assert "masked: password, 18" in message["tool_calls"][0]["function"]["arguments"]


def test_files_of_a_gateway_are_masked_by_the_rule_of_the_tenant(
    tmp_path: Path, planted: Planted, own_database: Database
) -> None:
    rules = Rules(TenantMasks(own_database))
    files = GatewayFiles(tmp_path, TENANT, new_id=Ids(), rule=lambda: rules.rule(TENANT))
    assert rules.rule(TENANT) is None
    Definitions(own_database, tenant=TENANT).set("rule", "mask", RULE)
    again = Rules(TenantMasks(own_database))
    assert again.rule(TENANT) == RULE
    files = GatewayFiles(tmp_path, TENANT, new_id=Ids(), rule=lambda: again.rule(TENANT))
    files.begin(streamed(planted))
    path = files.end(streamed(planted))
    assert path is not None
    assert [*planted.leaks(path.read_bytes())] == []
    assert GatewayFile(path).exchange is not None


class Away(TenantMasks):
    """The database does not answer."""

    def look(self, tenant: str) -> None:
        raise DatabaseUnavailable(tenant)


def test_where_a_rule_cannot_be_read_structure_alone_is_kept(own_database: Database) -> None:
    assert Rules(Away(own_database)).rule(TENANT) == 'mode = "structure"'


@pytest.mark.parametrize("seed", [1, 2])
def test_a_replay_finds_what_was_masked_on_record(seed: int) -> None:
    mine, theirs = Planted(Random(1)), Planted(Random(seed))  # noqa: S311 - of a test
    recorded = [payload_of(masked(streamed(mine)), "run")]
    tape = Tape(run_of({"run": "run", "values": {}}, recorded, None, []))
    answer = tape.answer(streamed(theirs), {})
    assert isinstance(answer, Answered)
    assert answer.by in {"exact", "normalised"}
    assert tape.finish().is_equal
    assert tape.report.masked == 1


def masked(exchange: Exchange) -> Exchange:
    return masked_exchange(parse_mask(RULE), exchange)


def test_calls_of_tools_are_found_that_were_masked_on_record(
    tmp_path: Path, planted: Planted
) -> None:
    path = create_spool(tmp_path, Header("run", "thread", mask=RULE))
    SpoolWriter(path).keep(streamed(planted))
    tools = SpoolAppender(path)
    params = msgspec.Raw(json.dumps({"name": "t", "arguments": planted.arguments}).encode())
    tools.write(McpBeginning("n", "s", "tools/call", params, 1))
    tools.write(McpEnding("n", "complete", 1.0, "result", msgspec.Raw(b'{"content":[]}')))
    exchange, call = SpoolReader(path).read()
    assert isinstance(exchange, Exchange)
    assert isinstance(call, McpExchange)
    run = run_of({"run": "r"}, [payload_of(exchange, "r")], None, [mcp_payload(call, "r")])
    tape = ToolTape.of_run(run, "recorded")
    asked = {"name": "t", "arguments": planted.arguments}
    assert tape.answer_mcp("s", "tools/call", asked) == {"result": {"content": []}}


def test_what_a_masked_spool_has_goes_into_the_log(
    tmp_path: Path, planted: Planted, threads: Threads
) -> None:
    path = create_spool(tmp_path, Header("01KDVDNQ00000000000000RVNA", "thread", mask=RULE))
    SpoolWriter(path).keep(streamed(planted))
    uploader = Uploader(path)
    assert uploader.finish(threads) is None
    assert uploader.bare == {}
    events = threads.messages("thread")
    assert [*planted.leaks(b"".join(event.body for event in events))] == []
    assert {"input", "tool_calls", "reply"} <= {event.type for event in events}
