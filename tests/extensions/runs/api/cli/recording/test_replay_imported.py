"""The command replay, of runs that were only imported."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import object_of, objects_of
from tests.command_line import agentlog, started
from tests.extensions.runs.api.cli.recording.test_record import BASE
from tests.waiting import WAIT_SECONDS

SDK_AGENT = """
import sys
from openai import OpenAI
client = OpenAI(api_key="none")
tool = {"type": "function", "function": {"name": "shell", "parameters": {"type": "object"}}}
items = [{"role": "system", "content": "Be quick."}, {"role": "user", "content": sys.argv[1]}]
while True:
    answer = client.chat.completions.create(model="model-9", messages=items, tools=[tool])
    message = answer.choices[0].message
    items.append(message)
    for call in message.tool_calls or ():
        output = f"ran {call.function.arguments}"
        items.append({"role": "tool", "tool_call_id": call.id, "content": output})
    if not message.tool_calls:
        print(message.content, end="")
        break
"""
ARGUMENTS = '{"command": "ls"}'
CALL = {"id": "c1", "type": "function", "function": {"name": "shell", "arguments": ARGUMENTS}}
HISTORY = [
    {"role": "user", "content": "do it"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": f"ran {ARGUMENTS}"},
    {"role": "assistant", "content": "Done."},
]


@pytest.fixture(name="url")
def _url(database_url: str, tmp_path: Path) -> str:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(HISTORY))
    words = ("--format", "openai", "--thread-id", "run", file)
    imported = agentlog("import", *words, url=database_url)
    assert imported.code == 0, imported.err
    return database_url


def replay(url: str, *words: str) -> tuple[int, str, str]:
    path = os.pathsep.join(sys.path)
    with started("replay", *words, url=url, PYTHONPATH=path) as process:
        out, err = process.communicate(timeout=WAIT_SECONDS)
        return process.returncode, out, err


def sdk_agent(task: str) -> Sequence[str]:
    return [sys.executable, "-c", SDK_AGENT, task]


def test_an_sdk_agent_runs_again_from_its_messages(url: str) -> None:
    code, out, err = replay(url, "run", "--", *sdk_agent("do it"))
    assert (code, out) == (0, "Done."), err
    assert "run: 2 exact; live calls: 0" in err
    assert "built from messages: 2; system prompt, tools and parameters are not known" in err


@pytest.mark.parametrize("api", ["responses", "messages", "gemini"])
def test_an_agent_of_another_api_is_answered_in_its_words(url: str, api: str) -> None:
    words = f"{sys.executable} -m tests.providers.agent ${BASE[api]} {api} 'do it' --stream"
    code, out, err = replay(url, "run", "--", "sh", "-c", words)
    assert (code, out) == (0, "Done."), err


def test_another_task_names_the_first_item_that_differs(url: str) -> None:
    code, out, _ = replay(url, "run", "--json", "--", *sdk_agent("do that"))
    assert code == 1
    report = object_of(parse(out))
    (unmatched,) = objects_of(report["unmatched"])
    assert (unmatched["place"], report["unused"]) == ("items[0]", [1, 2])
    assert report["reconstructed"] == 0
