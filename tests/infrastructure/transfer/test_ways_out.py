"""What a refusal names reads the record: tried on it, once for all files alike, or not named."""

import json
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.views import Views
from agentlog.projections.readers.registry import FORMATS
from tests.infrastructure.transfer.importing import USER, run, shown, written
from tests.infrastructure.transfer.test_remedies import options_of

WORDS = "look for the parcel, then tell the customer where it is"
ITEMS: list[dict[str, Any]] = [
    {"role": "user", "content": WORDS},
    {"role": "human", "content": WORDS},
    {"role": "Planner (thought)", "content": WORDS},
    {"role": "agent", "content": [{"text": WORDS}]},
    {"role": "user", "text": WORDS},
    {"role": "assistant", "message": {"content": [{"type": "text", "text": WORDS}]}},
    {"type": "user", "message": {"role": "user", "content": WORDS}, "timestamp": "2026-01-01"},
    {"type": "text", "text": WORDS},
    {"type": "system", "text": WORDS},
    {"from": "human", "value": WORDS},
    {"speaker": "a", "utterance": WORDS},
    {"message_type": "user_message", "content": WORDS},
    {"message_type": "reasoning_message", "reasoning": WORDS, "id": "message-1"},
]
NUMBERS = count()
in_a_record = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])


@in_a_record
@given(
    items=st.lists(st.sampled_from(ITEMS), min_size=1, max_size=4),
    keys=st.lists(st.sampled_from(["messages", "history", "a b", "log"]), max_size=3),
    wire=st.sampled_from([None, "openai", "kernel", "anthropic"]),
)
def test_a_way_out_that_is_named_reads_the_record(
    threads: Threads, tmp_path: Path, items: list[Any], keys: list[str], wire: str | None
) -> None:
    value: Any = items
    for key in keys:
        value = {key: value, "task": "t1"}
    path = written(tmp_path, "way.json", value)
    for failure in run(threads, path, wire=wire, thread_id=f"first{next(NUMBERS)}").failures:
        if failure.remedy is not None:
            name = f"way{next(NUMBERS)}-{{record}}"
            options = {"wire": wire, **options_of(failure), "thread_id": name}
            report = run(threads, path, **options)
            assert report.thread_ids
            said = [event.raw for name in report.thread_ids for event in threads.messages(name)]
            assert WORDS in json.dumps([raw for raw in said if "." not in str(raw["type"])])


@pytest.mark.parametrize("item", ITEMS[5:8] + ITEMS[10:11])
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_lines_of_others_are_not_taken_for_ours(
    threads: Threads, tmp_path: Path, item: Any, suffix: str
) -> None:
    path = written(tmp_path, f"theirs{suffix}", [item, {"type": "system", "text": "x"}, item])
    report = run(threads, path, wire=None)
    assert "kernel" not in {chosen.name for chosen in report.formats}
    assert not any("--format kernel" in failure.reason for failure in report.failures)


def test_our_own_messages_are_told_what_is_misspelt(threads: Threads, tmp_path: Path) -> None:
    path = written(tmp_path, "ours.json", [{"type": "imput", "text": "hi"}])
    (failure,) = run(threads, path, wire=None).failures
    assert "'imput' is not in the catalogue" in failure.reason


def test_files_alike_are_refused_in_two_lines(threads: Threads, tmp_path: Path) -> None:
    for number in range(126):
        history = [{"role": f"Agent{number}", "content": WORDS}]
        written(tmp_path, f"{number:03}.json", {"history": history, f"key{number % 3}": number})
    report = run(threads, tmp_path, wire=None)
    assert len(report.failures) == 126
    first, more, *table = report.lines()
    assert first.endswith("import with --messages '$.history' --format openai")
    assert more.startswith("… and 125 more for the same reason, to ")
    assert table[0].split() == ["threads", "0"]


def test_names_of_agents_are_who_speaks(threads: Threads, views: Views, tmp_path: Path) -> None:
    """As in the hand-crafted runs of Who&When."""
    items = [
        {"role": "human", "content": "When does the class begin?"},
        {"role": "Orchestrator (thought)", "content": "Ask the web."},
        {"role": "Orchestrator (-> WebSurfer)", "content": "Search for it."},
        {"role": "WebSurfer", "content": "At seven."},
        {"role": "assistant", "name": "Verifier", "content": "So it is."},
        {"role": "user", "name": "Expert", "content": "Good."},
    ]
    path = written(tmp_path, "who.json", {"history": items})
    report = run(threads, path, wire="openai", messages="$.history")
    assert report.failures == []
    said = threads.messages("who")[1:]
    heard = [(event.type, event.metadata.get("actor")) for event in said]
    assert heard == [
        ("input", None),
        ("reply", "Orchestrator (thought)"),
        ("reply", "Orchestrator (-> WebSurfer)"),
        ("reply", "WebSurfer"),
        ("reply", "Verifier"),
        ("input", "Expert"),
    ]
    assert shown(views, "who", "openai", foreign=True) == items
    roles = [item["role"] for item in shown(views, "who", "openai")]
    assert roles == ["user", "assistant", "assistant", "assistant", "assistant", "user"]


def test_a_file_that_one_format_reads_whole_is_taken_by_it(
    threads: Threads, tmp_path: Path
) -> None:
    """Letta and OpenLetta both know a `stop_reason`; only one reads the rest."""
    wire = [
        {"message_type": "user_message", "content": "hi"},
        {"message_type": "reasoning_message", "content": "hm"},
        {"message_type": "usage_statistics", "prompt_tokens": 1, "completion_tokens": 1},
    ]
    report = run(threads, written(tmp_path, "both.json", wire), wire=None)
    assert report.failures == []
    assert [chosen.name for chosen in report.formats] == ["openletta"]


def test_what_is_refused_of_spans_is_a_sentence(threads: Threads, tmp_path: Path) -> None:
    if "otlp" not in FORMATS:
        pytest.skip("an extension reads spans")
    span = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "name": "GET /"}
    request = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
    (failure,) = run(threads, written(tmp_path, "s.json", request), wire=None).failures
    assert "all would be otel.span (1): " in failure.reason


def test_calls_as_a_text_and_parts_without_a_type_are_read(
    threads: Threads, views: Views, tmp_path: Path
) -> None:
    call = [{"id": "c1", "type": "function", "function": {"name": "t", "arguments": "{}"}}]
    items = [
        {"role": "user", "content": [{"text": "run it"}]},
        {"role": "assistant", "content": "", "tool_calls": json.dumps(call)},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
        USER,
    ]
    report = run(threads, written(tmp_path, "texts.json", items), wire="openai")
    assert (report.failures, report.kept) == ([], {})
    assert shown(views, "texts", "openai", foreign=True) == items
    assert shown(views, "texts", "openai")[:2] == [
        {"role": "user", "content": "run it"},
        {"role": "assistant", "content": "", "tool_calls": call},
    ]
