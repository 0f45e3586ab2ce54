"""OpenHands conversations: a folder is one history; figures come from its base state."""

import json
import shutil
from pathlib import Path
from typing import Any

from agentlog.domain.json.text import parse
from agentlog.extensions.formats.openhands.conversation import FORMAT
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import read_records
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.projections.readers.history import History
from agentlog.projections.readers.registry import FORMATS, recognise
from tests.projections.readers.of_format import of_type
from tests.test_golden import GOLDEN

FOLDER = GOLDEN / "readers" / "openhands" / "conversation"


def _read(path: Path) -> History:
    documents = Documents(Plan())
    (file,) = find_sources([path]).files
    chosen, records = documents.of(read_records(file))
    assert chosen is FORMAT
    (record,) = records
    (history,) = FORMAT.read(documents.value(record))
    return history


def _of(history: History, kind: str) -> list[Any]:
    return [draft for draft in history.drafts if draft["type"] == kind]


def test_a_folder_of_events_is_one_thread_named_by_its_base_state() -> None:
    history = _read(FOLDER)
    assert history.id == json.loads((FOLDER / "base_state.json").read_text())["id"]
    stated = {"inputTokens": 3000, "outputTokens": 85, "costUsd": 0.0006}
    assert history.metadata == {"cwd": "/srv/build", **stated}
    assert [draft["type"] for draft in history.drafts][:2] == ["openhands.base_state", "system"]
    assert not history.unmapped


def test_figures_of_an_answer_are_told_once() -> None:
    answers = _of(_read(FOLDER), "llm_response")
    assert [answer["metadata"]["responseId"] for answer in answers] == [
        "chatcmpl-1",
        "chatcmpl-2",
        "chatcmpl-3",
    ]
    assert sum(answer["usage"]["inputTokens"] for answer in answers) == 3000
    assert sum(answer["usage"]["outputTokens"] for answer in answers) == 85
    assert [answer["costUsd"] for answer in answers] == [0.0001, 0.0002, 0.0003]
    assert [answer.get("latencyMs") for answer in answers] == [1500, 250, None]


def test_figures_that_are_told_later_change_no_message_before(tmp_path: Path) -> None:
    """OpenHands writes the base state after the events."""
    early = tmp_path / "early"
    shutil.copytree(FOLDER, early)
    state = json.loads((early / "base_state.json").read_text())
    state["stats"]["usage_to_metrics"]["agent"]["token_usages"].pop()
    (early / "base_state.json").write_text(json.dumps(state))
    before, after = _read(early), _read(FOLDER)
    later = {draft["id"]: draft for draft in after.drafts}
    for draft in _of(before, "tool_calls") + _of(before, "tool_results"):
        assert later[draft["id"]] == draft
    new = [draft for draft in after.drafts if draft["id"] not in {d["id"] for d in before.drafts}]
    assert [draft["type"] for draft in new] == ["openhands.base_state", "llm_response"]


def test_calls_and_results_are_those_of_the_events() -> None:
    history = _read(FOLDER)
    calls = [draft["calls"][0] for draft in _of(history, "tool_calls")]
    assert [call["id"] for call in calls] == ["call_a", "call_b", "call_c", "call_d"]
    results = {
        result["callId"]: result for d in _of(history, "tool_results") for result in d["results"]
    }
    assert results.keys() == {call["id"] for call in calls}
    assert [name for name, result in results.items() if result["error"] is None] == ["call_b"]


def test_a_rejection_by_a_person_is_a_denied_approval() -> None:
    (response,) = _of(_read(FOLDER), "approval_response")
    assert (response["callId"], response["approved"]) == ("call_d", False)
    assert response["reason"] == "Keep the build folder."
    hooked = _read(FOLDER.parent / "events.json")
    assert _of(hooked, "approval_response") == []
    failed = [
        result
        for d in _of(hooked, "tool_results")
        for result in d["results"]
        if result.get("error")
    ]
    assert [draft["error"] for draft in failed] == ["Blocked by the hook."]


def test_what_is_not_known_is_named_by_its_place() -> None:
    unmapped = _read(FOLDER.parent / "events.json").unmapped
    assert [(aside.place, aside.what) for aside in unmapped] == [
        ("[11]", "kind 'GalaxyEvent'"),
        ("[12].mood", "field 'mood'"),
    ]


def test_a_sub_agents_conversation_names_its_parent() -> None:
    state = {
        "id": "5d1c2d00-7777-4888-9999-aaaabbbbcccc",
        "agent": {},
        "workspace": {},
        "persistence_dir": "/p/4f1c2d00777748889999aaaabbbbcccc/subagents/"
        "5d1c2d00777748889999aaaabbbbcccc",
    }
    (history,) = FORMAT.read([state])
    assert history.parent == "4f1c2d00-7777-4888-9999-aaaabbbbcccc"


def test_events_of_version_0_answer_the_action_that_caused_them() -> None:
    path = GOLDEN / "readers" / "openhands-0" / "trajectory.json"
    (history,) = FORMATS["openhands-0"].read(parse(path.read_bytes()))
    results = [result for draft in of_type(history, "tool_results") for result in draft["results"]]
    assert [(result["callId"], result["name"], result.get("error")) for result in results] == [
        ("toolu_01", "execute_bash", None),
        ("toolu_02", "str_replace_editor", "c.py is not there"),
    ]
    assert [draft["error"] for draft in of_type(history, "runtime_error")] == ["the model is busy"]
    assert len(of_type(history, "llm_response")) == 1


def test_an_array_of_events_of_version_0_is_one_thread() -> None:
    path = GOLDEN / "readers" / "openhands-0" / "trajectory.json"
    assert recognise(parse(path.read_bytes())).name == "openhands-0"
