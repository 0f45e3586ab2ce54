"""Threads out of the store, as records that import reads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.errors import FutureMoment, UnknownThread
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.domain.points_in_time import AtPosition, AtVersion, Moment
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.exporter import all_thread_ids, export_threads
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.projections.readers.wires.kernel import FORMAT
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import NOON, calls, given, reply

KERNEL = choose_view("kernel", {"metadata": True})


def exported(
    threads: Threads, *thread_ids: str, at: Moment | None = None
) -> list[dict[str, JsonValue]]:
    return list(export_threads(threads, KERNEL, thread_ids or all_thread_ids(threads), at=at))


def imported(threads: Threads, folder: Path, records: Sequence[dict[str, JsonValue]]) -> None:
    """Import what was exported, into threads of other names."""
    path = folder / "exported.jsonl"
    path.write_bytes(b"\n".join(print_bytes(record) for record in records))
    plan = Plan(FORMAT, thread_id="copy-{threadId}")
    importer = Importer(threads, plan, progress=lambda _: None)
    importer.import_sources(find_sources([path]))
    assert importer.report.failures == []


def test_a_record_holds_the_messages_with_their_metadata(threads: Threads) -> None:
    threads.append("t", [reply("hi", id=given(1), metadata={"actor": "ann"})])
    assert exported(threads) == [
        {
            "threadId": "t",
            "policy": "strict",
            "messages": [
                {
                    "id": given(1),
                    "timestamp": NOON,
                    "type": "reply",
                    "text": "hi",
                    "metadata": {"actor": "ann"},
                }
            ],
        }
    ]


def test_a_record_holds_the_facts_of_its_thread(threads: Threads) -> None:
    facts: dict[str, Any] = {"goal": "g", "parent": "p", "limits": {"maxSteps": 3}}
    threads.start("t", {**facts, "policy": "record", "metadata": {"a": 1, "b": 2}})
    threads.annotate("t", {"b": None, "c": 3})
    threads.close("t", "done")
    assert exported(threads) == [
        {
            "threadId": "t",
            **facts,
            "metadata": {"a": 1, "c": 3},
            "policy": "record",
            "messages": [],
            "closed": {"reason": "done"},
        }
    ]


@pytest.mark.parametrize(
    "facts",
    [
        None,
        {},
        {"policy": "record"},
        {"goal": "g", "limits": {"maxSteps": 0}, "metadata": {"n": 10**30}},
    ],
)
@pytest.mark.parametrize("messages", [0, 3])
@pytest.mark.parametrize("closed", [False, True])
def test_what_is_exported_imports_to_the_same_export(
    threads: Threads, tmp_path: Path, *, facts: dict[str, Any] | None, messages: int, closed: bool
) -> None:
    if facts is not None:
        threads.start("t", facts)
    if messages:
        threads.append("t", [reply("\x00 é \u2028 😀"), calls("a"), reply("x")])
    if facts is None and not messages:
        return  # there is no such thread
    if closed:
        threads.close("t")
    (first,) = exported(threads)
    imported(threads, tmp_path, [first])
    (second,) = exported(threads, "copy-t")
    assert print_bytes({**second, "threadId": "t"}) == print_bytes(first)


def test_a_thread_is_exported_as_it_was(threads: Threads) -> None:
    threads.append("t", [reply("one"), reply("two")])
    threads.close("t")
    (record,) = exported(threads, "t", at=AtVersion(1))
    assert [message["text"] for message in record["messages"]] == ["one"]
    assert "closed" not in record
    with pytest.raises(FutureMoment):
        exported(threads, "t", at=AtVersion(9))


def test_at_a_position_only_what_was_there_is_exported(threads: Threads) -> None:
    threads.append("a", [reply("one")])
    threads.append("b", [reply("two")])
    records = exported(threads, at=AtPosition(1))
    assert [len(record["messages"]) for record in records] == [1, 0]


def test_a_state_is_exported_in_place_of_messages(threads: Threads) -> None:
    threads.append("t", [reply("hi")])
    (record,) = export_threads(threads, choose_view("agent-state"), ["t"])
    assert record["messages"]["history"] == [{"role": "assistant", "content": "hi"}]


def test_a_thread_that_is_not_there_cannot_be_exported(threads: Threads) -> None:
    with pytest.raises(UnknownThread):
        exported(threads, "nope")


def test_all_threads_are_found_page_by_page(threads: Threads) -> None:
    names = [f"t{number:04d}" for number in range(1001)]
    outcomes = threads.append_many([threads.request(name, [reply("x")]) for name in names])
    assert len(outcomes) == 1001
    assert list(all_thread_ids(threads)) == names
