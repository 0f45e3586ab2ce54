"""Answers found by the conversation alone, and written in the asked API."""

import json
from typing import get_args

import pytest

from agentlog.extensions.formats.claude_code.session import FORMAT
from agentlog.extensions.runs.projections.tapes.reconstructed_tape import ReconstructedTape
from agentlog.extensions.runs.projections.tapes.tape import Answered, Difference
from agentlog.projections.exchanges.requests import Api
from agentlog.projections.readers.messages.chat import READER
from tests.extensions.formats.contexts.reading import events_in
from tests.extensions.formats.contexts.test_claude_code import COMPACTED, SUMMARY
from tests.extensions.runs.projections.recordings.test_recording import echo
from tests.extensions.runs.projections.tapes.test_tape import asked, results
from tests.histories import history
from tests.providers.agent import Agent

CALL = {"name": "shell", "arguments": '{"n":1}'}
ITEMS = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "do it"},
    {
        "role": "assistant",
        "content": "I look.",
        "tool_calls": [{"id": "call_1", "type": "function", "function": CALL}],
    },
    {"role": "tool", "tool_call_id": "call_1", "content": "seen"},
    {"role": "assistant", "content": "done"},
]


@pytest.mark.parametrize("api", get_args(Api))
@pytest.mark.parametrize("stream", [False, True])
def test_an_imported_run_answers_in_the_asked_api(api: Api, stream: bool) -> None:  # noqa: FBT001
    tape = ReconstructedTape(history(*READER.read(json.loads(json.dumps(ITEMS)))), {})
    agent = Agent("", api, stream=stream)
    agent.say("do it")
    first = tape.answer(asked(agent), {})
    assert isinstance(first, Answered)
    agent.items += echo(api, first.exchange.answer)
    agent.items += results(api, ["call_1"], ["seen"])
    second = tape.answer(asked(agent), {})
    assert isinstance(second, Answered)
    assert b"done" in second.exchange.response
    assert tape.report.rungs["exact"] == 2


@pytest.mark.parametrize("api", get_args(Api))
def test_another_task_misses_at_its_place(api: Api) -> None:
    tape = ReconstructedTape(history(*READER.read(json.loads(json.dumps(ITEMS)))), {})
    agent = Agent("", api)
    agent.say("do that")
    difference = tape.answer(asked(agent), {})
    assert isinstance(difference, Difference)
    assert difference.place == "items[0]"


def test_a_request_after_a_compaction_is_what_stood_in_the_context() -> None:
    events = events_in(FORMAT, COMPACTED)
    tape = ReconstructedTape(events, {})
    agent = Agent("", "chat")
    for text in (SUMMARY, "next"):
        agent.say(text)
    match = tape.answer(asked(agent), {})
    assert isinstance(match, Answered)
    assert b"New." in match.exchange.response
    agent = Agent("", "chat")
    for text in ("long ago", "Old.", SUMMARY, "next"):
        agent.say(text)
    assert isinstance(ReconstructedTape(events, {}).answer(asked(agent), {}), Difference)
