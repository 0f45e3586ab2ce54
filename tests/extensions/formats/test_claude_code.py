"""Claude Code's sessions: counted right, whole, and in threads of their own."""

from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.errors import InvalidJson
from agentlog.domain.json.text import parse
from agentlog.extensions.formats.claude_code.session import FORMAT
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import read_records
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.history import History
from tests.test_golden import GOLDEN

SESSIONS = GOLDEN / "readers" / "claude-code"


def lines_of(name: str) -> list[Any]:
    return [parse(line) for line in (SESSIONS / name).read_bytes().splitlines()]


def read(*lines: Any) -> History:
    return next(FORMAT.read(list(lines)))


def of_type(history: History, *types: str) -> list[Draft]:
    return [draft for draft in history.drafts if draft["type"] in types]


def line(kind: str, message: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": "s", "message": {"role": kind, **message}, **fields}


def answer(message_id: str, **message: Any) -> dict[str, Any]:
    given = {"id": message_id, "type": "message", "model": "claude-x", **message}
    return line("assistant", {"content": [{"type": "text", "text": "Hi."}], **given})


def test_calls_results_and_usage_are_those_of_the_source() -> None:
    history = read(*lines_of("session.jsonl"))
    calls = [call["id"] for draft in of_type(history, "tool_calls") for call in draft["calls"]]
    assert calls == ["toolu_ls", "toolu_rm", "toolu_mv"]
    results = [result for draft in of_type(history, "tool_results") for result in draft["results"]]
    assert [(result["callId"], result["error"]) for result in results] == [
        ("toolu_ls", None),
        ("toolu_mv", None),
        ("toolu_rm", "Not on a Friday."),
    ]
    # five lines of msg_a say the same; 12 + 400 + 1000 tokens went in
    assert [draft["usage"] for draft in of_type(history, "llm_response")] == [
        {
            "inputTokens": 1412,
            "outputTokens": 80,
            "cachedInputTokens": 1000,
            "cacheWriteTokens": 400,
            "reasoningTokens": 31,
        },
        {
            "inputTokens": 1420,
            "outputTokens": 9,
            "cachedInputTokens": 1400,
            "cacheWriteTokens": 0,
        },
    ]
    assert [draft["error"] for draft in of_type(history, "runtime_error")] == [
        "Overloaded",
        "You've hit your session limit.",
    ]
    assert history.metadata["costUsd"] == pytest.approx(0.0219)


def test_only_what_a_person_decided_is_an_approval() -> None:
    history = read(*lines_of("session.jsonl"))
    answers = of_type(history, "approval_response")
    assert [
        (response["callId"], response["approved"], response.get("reason")) for response in answers
    ] == [
        ("toolu_mv", True, None),
        ("toolu_rm", False, "Not on a Friday."),
    ]
    assert [draft["tool"] for draft in of_type(history, "approval_request")] == ["Bash", "Bash"]


def test_what_is_not_known_is_kept_with_its_place() -> None:
    history = read(*lines_of("session.jsonl"))
    assert [(aside.place, aside.what) for aside in history.unmapped] == [
        ("[14].newField", "field 'newField'"),
        ("[14].message.content[2]", "kind 'hologram'"),
        ("[21]", "kind 'tomorrow'"),
    ]


def test_figures_that_grow_are_counted_once_when_the_next_answer_begins() -> None:
    history = read(*lines_of("old.jsonl"))
    counted = {
        draft["metadata"]["responseId"]: draft["usage"]["outputTokens"]
        for draft in of_type(history, "llm_response")
    }
    # the last line of msg_p says 61; nothing follows msg_s2 in its sidechain: it is counted last
    assert counted == {"msg_s1": 1, "msg_p": 61, "msg_q": 1, "msg_s2": 2}
    assert history.drafts[-1]["metadata"]["responseId"] == "msg_s2"
    assert len(of_type(history, "llm_response")) == len(counted)


def test_an_answer_that_may_go_on_is_told_as_far_as_it_is_known() -> None:
    open_answer = answer("m", usage={"input_tokens": 3, "output_tokens": 1})
    (told,) = of_type(read(open_answer), "llm_response")
    assert told["usage"] == {"inputTokens": 3, "outputTokens": 1}
    closed = {**open_answer, "message": {**open_answer["message"], "stop_reason": "end_turn"}}
    assert len(of_type(read(open_answer, closed, closed), "llm_response")) == 1


def test_unknown_figures_stay_unknown() -> None:
    (response,) = of_type(read(answer("m", stop_reason="end_turn")), "llm_response")
    assert "usage" not in response


def test_texts_that_the_program_wrote_are_not_the_users() -> None:
    history = read(*lines_of("old.jsonl"))
    assert [draft["text"] for draft in of_type(history, "input")] == [
        "Count the parcels.",
        "Count the parcels in A.",
        "Say the number only.",
        "Thanks.",
    ]
    assert len(of_type(history, "system")) == 6


@pytest.mark.parametrize("prompt", ["Also the docs.", [{"type": "text", "text": "Also the docs."}]])
def test_what_a_user_says_in_the_midst_of_a_turn_is_an_input(prompt: Any) -> None:
    queued = {"type": "queued_command", "prompt": prompt, "commandMode": "prompt"}
    done = {**queued, "prompt": "<task-notification>done", "commandMode": "task-notification"}
    lines = (
        {"type": "attachment", "sessionId": "s", "attachment": attachment}
        for attachment in (queued, done)
    )
    said, told = read(*lines).drafts
    assert (said["type"], said["text"]) == ("input", "Also the docs.")
    assert told["type"] == "system"


def test_a_repeated_line_is_read_once_and_a_changed_one_is_kept() -> None:
    history = read(*lines_of("old.jsonl"))
    texts = [draft.get("text") for draft in history.drafts]
    assert texts.count("Count the parcels.") == 1
    (repeated,) = of_type(history, "claude-code.repeated")
    assert repeated["payload"]["message"]["content"] == "Say the number only."


def test_a_sub_agent_is_a_thread_that_its_session_names() -> None:
    (session,) = FORMAT.read(lines_of("with-agent/session.jsonl"))
    (worker,) = FORMAT.read(lines_of("with-agent/subagents/agent-a1b2c3.jsonl"))
    (sent,) = of_type(session, "worker_spawned")
    assert sent["threadId"] == worker.id
    assert worker.parent == session.id
    assert worker.goal == sent["objective"] == "Survey the east depot."


def test_a_sub_agent_comes_back_with_what_it_said() -> None:
    history = read(*lines_of("with-agent/session.jsonl"))
    kinds = [draft["type"] for draft in of_type(history, *ABOUT_WORKERS)]
    assert kinds == ["worker_spawned", "tool_results", "worker_result"]
    (came,) = of_type(history, "worker_result")
    assert (came["workerId"], came["output"]) == ("a1b2c3", "East has 4 parcels.")


ABOUT_WORKERS = ("worker_spawned", "tool_results", "worker_result")


def in_background(agent: str) -> list[dict[str, Any]]:
    args = {"prompt": f"Look at {agent}.", "run_in_background": True}
    call = {"type": "tool_use", "id": f"toolu_{agent}", "name": "Agent", "input": args}
    launched = {"type": "tool_result", "tool_use_id": f"toolu_{agent}", "content": "Launched."}
    result = {"status": "async_launched", "agentId": agent, "isAsync": True}
    return [
        line("assistant", {"content": [call], "model": "claude-x"}),
        line("user", {"content": [launched]}, toolUseResult=result),
    ]


def notice(agent: str, status: str, said: str = "") -> str:
    return (
        f"<task-notification>\n<task-id>{agent}</task-id>\n<tool-use-id>t</tool-use-id>\n"
        f"<output-file>/tmp/x</output-file>\n<status>{status}</status>\n"
        f'<summary>Agent "{agent}" {status}</summary>\n{said}\n</task-notification>'
    )


def test_a_sub_agent_in_the_background_ends_with_its_notice() -> None:
    lines = [part for agent in ("a", "b", "c", "d") for part in in_background(agent)]
    assert of_type(read(*lines), "worker_result") == []
    queued = {
        "type": "queued_command",
        "prompt": notice("b", "killed"),
        "commandMode": "task-notification",
    }
    done = notice("a", "completed", "<result>It says </result> at the end.</result>")
    both = notice("c", "failed", "<result>No disk.</result>") + notice("a", "completed")
    notices = [
        line("user", {"content": done}),
        {"type": "attachment", "sessionId": "s", "attachment": queued},
        line("user", {"content": [{"type": "text", "text": both}]}),
        line("user", {"content": notice("b6k3", "completed")}),  # a command, no sub-agent
        line("user", {"content": "<task-notification>d is at work</task-notification>"}),
    ]
    assert [
        (came["workerId"], came.get("output"), came.get("error"))
        for came in of_type(read(*lines, *notices), "worker_result")
    ] == [
        ("a", "It says </result> at the end.", None),
        ("b", None, {"message": 'Agent "b" killed', "code": "killed"}),
        ("c", None, {"message": "No disk.", "code": "failed"}),
    ]


def test_a_sub_agent_that_is_sent_off_again_comes_back_again() -> None:
    lines = in_background("a")
    again = [
        line("assistant", {"content": [CALL_AGAIN], "model": "claude-x"}),
        line(
            "user",
            {"content": [{"type": "tool_result", "tool_use_id": "again", "content": "Done."}]},
            toolUseResult={"status": "completed", "agentId": "a"},
        ),
    ]
    history = read(*lines, line("user", {"content": notice("a", "completed")}), *again)
    came = of_type(history, "worker_result")
    assert [draft["output"] for draft in came] == ['Agent "a" completed', "Done."]
    assert came[0]["id"] != came[1]["id"]


CALL_AGAIN = {
    "type": "tool_use",
    "id": "again",
    "name": "Agent",
    "input": {"prompt": "And the rest?", "resume": "a"},
}


def test_lines_that_are_no_objects_are_kept() -> None:
    history = read(line("user", {"content": "Hello."}), "what?", 42)
    assert [draft["type"] for draft in history.drafts] == ["input", *["claude-code.line"] * 2]
    assert [aside.place for aside in history.unmapped] == ["[1]", "[2]"]


def test_a_last_line_that_is_cut_off_is_refused_alone(tmp_path: Path) -> None:
    whole = (SESSIONS / "session.jsonl").read_bytes()
    (tmp_path / "cut.jsonl").write_bytes(whole[:-20])
    (file,) = find_sources([tmp_path]).files
    documents = Documents(Plan())
    chosen, records = documents.of(read_records(file))
    refused, session = records
    assert chosen is FORMAT
    assert isinstance(refused.value, InvalidJson)
    assert session.value == lines_of("session.jsonl")[:-1]


def test_what_a_session_states_that_it_cost_is_its_last_word() -> None:
    results = [{"type": "result", "sessionId": "s", "total_cost_usd": usd} for usd in (0.5, 0.75)]
    history = read(line("user", {"content": "hi"}), answer("msg_a"), *results)
    assert history.metadata["costUsd"] == 0.75
    lacking = {"type": "cost-state", "sessionId": "s", "totalCostUSD": 0.1}
    lacking["hasUnknownModelCost"] = True  # then it is no total
    assert "costUsd" not in read(line("user", {"content": "hi"}), lacking).metadata


def test_a_cost_with_that_of_sub_agents_is_not_that_of_the_session_alone() -> None:
    state = {"type": "cost-state", "sessionId": "s", "totalCostUSD": 0.5}
    metadata = read(*lines_of("with-agent/session.jsonl"), state).metadata
    assert metadata["costWithWorkersUsd"] == 0.5
    assert "costUsd" not in metadata
