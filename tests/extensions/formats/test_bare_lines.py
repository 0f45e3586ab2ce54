"""Claude Code's lines without a session id: trimmed files, and `loglines` of an export."""

from pathlib import Path

import pytest

from agentlog.infrastructure.threads import Threads
from tests.infrastructure.transfer.importing import run, written

LINES = [
    {
        "type": "user",
        "timestamp": "2026-01-01T10:00:00Z",
        "message": {"role": "user", "content": "make it"},
    },
    {
        "type": "assistant",
        "timestamp": "2026-01-01T10:00:05Z",
        "message": {
            "id": "msg_1",
            "model": "m",
            "role": "assistant",
            "content": [{"type": "text", "text": "made"}],
            "usage": {"input_tokens": 1, "output_tokens": 1},
        },
    },
]


@pytest.mark.parametrize("name", ["bare.jsonl", "bare.json", "web.json"])
def test_lines_without_a_session_are_a_thread_named_by_the_file(
    threads: Threads, tmp_path: Path, name: str
) -> None:
    value = {"loglines": LINES, "title": "a parcel"} if name == "web.json" else LINES
    report = run(threads, written(tmp_path, name, value), wire=None)
    assert (report.failures, [known.name for known in report.formats]) == ([], ["claude-code"])
    (thread_id,) = report.thread_ids
    assert thread_id == name.partition(".")[0]
    said = [event.type for event in threads.messages(thread_id)]
    assert {"input", "reply"} <= set(said)


def test_items_of_others_with_a_type_are_not_claude_code(threads: Threads, tmp_path: Path) -> None:
    others = [{"type": "user", "message": {"role": "human", "content": "hi"}}]
    report = run(threads, written(tmp_path, "others.json", others), wire=None)
    assert "claude-code" not in {known.name for known in report.formats}
