"""Threads out of the store, as records that import reads."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentlog.domain.errors import FutureMoment, UnknownThread
from agentlog.domain.json.text import JsonValue, print_bytes
from agentlog.domain.points_in_time import AtPosition, AtVersion, Moment
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.exporter import all_thread_ids, export_threads
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.infrastructure.views.store import Store
from agentlog.projections.readers.wires.kernel import FORMAT
from agentlog.projections.registry import choose_view
from tests.infrastructure.appends import NOON, calls, given, reply

KERNEL = choose_view("kernel", {"metadata": True})


def exported(store: Store, *threads: str, at: Moment | None = None) -> list[dict[str, JsonValue]]:
    return list(export_threads(store, KERNEL, threads or all_thread_ids(store), at=at))


def imported(store: Store, folder: Path, records: Sequence[dict[str, JsonValue]]) -> None:
    """Import what was exported, into threads of other names."""
    path = folder / "exported.jsonl"
    path.write_bytes(b"\n".join(print_bytes(record) for record in records))
    plan = Plan(FORMAT, thread_id="copy-{threadId}")
    importer = Importer(store, plan, progress=lambda _: None)
    importer.import_sources(find_sources([path]))
    assert importer.report.failures == []


def test_a_record_holds_the_messages_with_their_metadata(store: Store) -> None:
    store.append("t", [reply("hi", id=given(1), metadata={"actor": "ann"})])
    assert exported(store) == [
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


def test_a_record_holds_the_facts_of_its_thread(store: Store) -> None:
    facts: dict[str, Any] = {"goal": "g", "parent": "p", "limits": {"maxSteps": 3}}
    store.start("t", {**facts, "policy": "record", "metadata": {"a": 1, "b": 2}})
    store.annotate("t", {"b": None, "c": 3})
    store.close("t", "done")
    assert exported(store) == [
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
    store: Store, tmp_path: Path, *, facts: dict[str, Any] | None, messages: int, closed: bool
) -> None:
    if facts is not None:
        store.start("t", facts)
    if messages:
        store.append("t", [reply("\x00 é \u2028 😀"), calls("a"), reply("x")])
    if facts is None and not messages:
        return  # there is no such thread
    if closed:
        store.close("t")
    (first,) = exported(store)
    imported(store, tmp_path, [first])
    (second,) = exported(store, "copy-t")
    assert print_bytes({**second, "threadId": "t"}) == print_bytes(first)


def test_a_thread_is_exported_as_it_was(store: Store) -> None:
    store.append("t", [reply("one"), reply("two")])
    store.close("t")
    (record,) = exported(store, "t", at=AtVersion(1))
    assert [message["text"] for message in record["messages"]] == ["one"]
    assert "closed" not in record
    with pytest.raises(FutureMoment):
        exported(store, "t", at=AtVersion(9))


def test_at_a_position_only_what_was_there_is_exported(store: Store) -> None:
    store.append("a", [reply("one")])
    store.append("b", [reply("two")])
    records = exported(store, at=AtPosition(1))
    assert [len(record["messages"]) for record in records] == [1, 0]


def test_a_state_is_exported_in_place_of_messages(store: Store) -> None:
    store.append("t", [reply("hi")])
    (record,) = export_threads(store, choose_view("agent-state"), ["t"])
    assert record["messages"]["history"] == [{"role": "assistant", "content": "hi"}]


def test_a_thread_that_is_not_there_cannot_be_exported(store: Store) -> None:
    with pytest.raises(UnknownThread):
        exported(store, "nope")


def test_all_threads_are_found_page_by_page(store: Store) -> None:
    names = [f"t{number:04d}" for number in range(1001)]
    outcomes = store.append_many([store.request(name, [reply("x")]) for name in names])
    assert len(outcomes) == 1001
    assert list(all_thread_ids(store)) == names
