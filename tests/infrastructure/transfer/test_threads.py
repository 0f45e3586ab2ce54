"""The thread that a record has: its id, what for, and its messages."""

from pathlib import PurePosixPath
from typing import Any

import pytest

from agentlog.domain.errors import InvalidJson, InvalidMessage
from agentlog.domain.identifiers import derived_message_id, is_thread_id
from agentlog.infrastructure.transfer.documents import Documents, Plan
from agentlog.infrastructure.transfer.files.records import SourceRecord
from agentlog.infrastructure.transfer.files.source_file import SourceFile
from agentlog.infrastructure.transfer.record_path import InvalidPath
from agentlog.infrastructure.transfer.template import InvalidTemplate
from agentlog.infrastructure.transfer.threads import (
    ImportedThread,
    NamelessThread,
    fitted,
    threads_of,
)
from agentlog.infrastructure.transfer.ways_out import NotRead, with_way_out
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.registry import choose_format

REPLY = {"type": "reply", "text": "hi"}


def record_of(value: Any, name: str = "run.json", number: int = 0) -> SourceRecord:
    file = SourceFile(name, PurePosixPath(name), 0, bytes)
    return SourceRecord(file, "here", number, 0, value)


def read(
    value: Any, *, name: str = "run.json", number: int = 0, wire: str = "kernel", **plan: Any
) -> ImportedThread:
    """Return the one thread of a record, read by a plan with these fields."""
    chosen, record = Plan(choose_format(wire), **plan), record_of(value, name, number)
    document = Documents(chosen).value(record)
    (thread,) = threads_of(chosen, choose_format(wire), record, document)
    return thread


@pytest.mark.parametrize(
    ("value", "number", "thread_id"),
    [
        ({"threadId": "t", "messages": [REPLY]}, 3, "t"),
        ({"messages": [REPLY]}, 0, "run"),
        ({"messages": [REPLY]}, 3, "run-3"),
        ([REPLY], 0, "run"),
        ({"threadId": 7, "messages": [REPLY]}, 0, "run"),
    ],
)
def test_a_thread_is_named_by_its_record_or_after_its_file(
    value: Any, number: int, thread_id: str
) -> None:
    assert read(value, number=number).thread_id == thread_id


def test_a_template_names_the_thread_before_all() -> None:
    thread = read({"threadId": "t", "n": 1, "messages": [REPLY]}, thread_id="x-{n}")
    assert thread.thread_id == "x-1"


@pytest.mark.parametrize(
    ("template", "name"), [("{text}", "with a space"), ("a/b", "a/b"), ("..", "..")]
)
def test_a_name_that_is_no_thread_id_is_kept_beside_one_that_is(template: str, name: str) -> None:
    thread = read({"text": "with a space", "messages": []}, thread_id=template)
    assert is_thread_id(thread.thread_id)
    assert thread.thread_id == fitted(name)
    assert thread.started is not None
    assert thread.started["metadata"] == {"source": name}


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(NamelessThread):
        read({"text": "", "messages": []}, thread_id="{text}")


def test_messages_without_ids_get_the_same_ones_every_time() -> None:
    given = {**REPLY, "id": derived_message_id("elsewhere")}
    one, two = (read({"threadId": "t", "messages": [REPLY, given, REPLY]}) for _ in range(2))
    assert one.drafts == two.drafts
    assert [draft["id"] for draft in one.drafts] == [
        derived_message_id("t", 0),
        given["id"],
        derived_message_id("t", 1),
    ]


@pytest.mark.parametrize(
    ("path", "record"),
    [
        (None, {"messages": [REPLY, REPLY]}),
        (None, [REPLY, REPLY]),
        ("$.runs[0].traj", {"runs": [{"traj": [REPLY, REPLY]}]}),
        ("$.steps[*].said", {"steps": [{"said": REPLY}, {"said": REPLY}]}),
        ("$..[?@.type == 'reply']", {"deep": [{"said": REPLY}, {"other": 1, "said": REPLY}]}),
        ("$.messages", {"messages": [REPLY, REPLY]}),
    ],
)
def test_messages_are_found_by_a_path_or_in_their_usual_place(
    path: str | None, record: Any
) -> None:
    drafts = read(record, messages=path).drafts
    assert [draft["text"] for draft in drafts] == ["hi", "hi"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("$[", "is no JSONPath"),
        ("$.a | $.b", "use a single path"),
        ("$.a[?nosuch(@)]", "is no JSONPath"),
    ],
)
def test_a_path_that_does_not_parse_is_refused(path: str, reason: str) -> None:
    with pytest.raises(InvalidPath, match=reason):
        Documents(Plan(messages=path))


def test_a_history_may_be_empty() -> None:
    assert read({"traj": []}, messages="$.traj").drafts == []
    assert read({"messages": []}).drafts == read([]).drafts == []


@pytest.mark.parametrize("value", [{}, {"messages": []}, [], "text", 5, None])
def test_a_path_that_leads_nowhere_is_said(value: Any) -> None:
    with pytest.raises(InvalidPath, match=r"\$\.traj leads to nothing in this record"):
        read(value, messages="$.traj")


def test_a_path_too_deep_for_the_record_is_said() -> None:
    nested: Any = 1
    for _ in range(120):
        nested = {"a": [nested]}
    with pytest.raises(InvalidPath, match=r"\$\.\.x"):
        read(nested, messages="$..x")


@pytest.mark.parametrize("value", [{}, {"messages": 1}, "text", 5, None])
def test_a_record_without_messages_is_refused(value: Any) -> None:
    with pytest.raises(InvalidMessage, match="has no messages"):
        read(value)


def test_a_record_with_messages_elsewhere_says_how_to_name_their_place() -> None:
    with pytest.raises(InvalidMessage) as refusal:
        read({"traj": [REPLY]})
    error = with_way_out(Plan(), refusal.value, record_of({"traj": [REPLY]}))
    assert isinstance(error, NotRead)
    assert "has no messages; " in str(error)
    assert str(error).endswith(" --messages '$.traj' --format kernel")


def test_a_message_that_is_none_is_named_by_its_place() -> None:
    with pytest.raises(InvalidMessage, match=r"messages\[1\]: not a JSON object"):
        read([REPLY, 7])
    with pytest.raises(InvalidMessage, match=r"messages\[1\]\.role"):
        read([{"role": "user", "content": "x"}, {"role": "nobody"}], wire="openai")


def test_a_record_that_was_no_json_raises_why() -> None:
    with pytest.raises(InvalidJson, match="not JSON"):
        read(InvalidJson("not JSON"))


def test_a_history_is_kept_as_it_is_unless_it_or_the_caller_names_another_policy() -> None:
    record = {"type": "thread.started", "policy": "record"}
    assert read([REPLY]).started == record
    assert read({"threadId": "t", "messages": [REPLY]}).started == record
    assert read({"threadId": "t", "messages": [REPLY], "policy": "record"}).started == record
    # a strict thread needs no more than its first message to start
    assert read({"threadId": "t", "messages": [REPLY], "policy": "strict"}).started is None
    assert read([REPLY], policy="strict").started is None
    theirs = {"messages": [REPLY], "policy": "strict", "threadId": 7}
    assert read(theirs).started == record


def test_the_facts_of_our_own_export_are_those_of_the_thread() -> None:
    facts = {"goal": "g", "parent": "p", "limits": {"maxSteps": 3}, "metadata": {"a": 1}}
    more = {"policy": "strict", "closed": {"reason": "done"}}
    thread = read({"threadId": "t", **facts, "messages": [], **more})
    assert thread.started == {"type": "thread.started", **facts, "policy": "strict"}
    assert thread.closed == {"type": "thread.closed", "reason": "done"}


def test_a_history_of_elsewhere_has_no_facts_but_those_that_were_asked_for() -> None:
    record = {"goal": "theirs", "metadata": "free text", "closed": {}, "n": 1.50, "messages": []}
    assert read(record).closed is None
    chosen = {"n": "{n}", "kind": "test", "m": "{m?}"}
    assert read(record, goal="task {n}", metadata=chosen).started == {
        "type": "thread.started",
        "goal": "task 1.5",
        "metadata": {"n": 1.5, "kind": "test"},
        "policy": "record",
    }


def test_metadata_that_was_asked_for_stands_beside_that_of_our_own() -> None:
    own = {"threadId": "t", "metadata": {"a": 1, "b": 1}, "messages": []}
    thread = read(own, metadata={"b": "2"})
    assert thread.started is not None
    assert thread.started["metadata"] == {"a": 1, "b": "2"}


def test_metadata_that_is_no_object_is_refused_in_its_place() -> None:
    own = {"threadId": "t", "metadata": "free text", "messages": []}
    with pytest.raises(InvalidMessage, match="metadata: not an object"):
        read(own, metadata={"b": "2"})


def test_a_thread_of_ours_that_has_nothing_yet_is_started_all_the_same() -> None:
    thread = read({"threadId": "t", "messages": [], "policy": "strict"})
    assert thread.started == {"type": "thread.started", "policy": "strict"}


@pytest.mark.parametrize("chosen", [{"goal": "{x}"}, {"metadata": {"a": "{x}"}}])
def test_a_template_without_its_field_is_refused(chosen: dict[str, Any]) -> None:
    with pytest.raises(InvalidTemplate, match="it has messages"):
        read({"messages": []}, **chosen)


def test_a_file_whose_name_is_no_thread_id_names_its_thread_nearly() -> None:
    thread = read([REPLY], name="my run (2).json")
    assert thread.thread_id == "my-run-2"
    with pytest.raises(NamelessThread, match=r"--thread-id 'run-\{record\}'"):
        read([REPLY], name="")
    assert read([REPLY], name="", number=3, thread_id="run-{record}").thread_id == "run-3"
    named = read([REPLY], name="a b/c.traj.json", thread_id="{path}+{file}".replace("+", "~"))
    assert named.thread_id == "a-b:c.traj~c.traj.json"


@pytest.mark.parametrize("name", ["x" * 200, "..", "", "東京", "a b" * 100])
def test_any_name_becomes_a_thread_id_of_its_own(name: str) -> None:
    assert is_thread_id(fitted(name))
    assert is_thread_id(read([REPLY], name=f"{name}.json" if name else "x").thread_id)
    assert len({fitted(own_name) for own_name in (name, f"{name} ", f"{name}-", f"{name}/")}) == 4


def test_a_history_names_its_thread_and_says_what_it_is_for() -> None:
    history = History([REPLY], id="s/1", goal="g", parent="s", metadata={"model": "m"})
    only = Format("x", "X", lambda _: iter([history]))
    (thread,) = threads_of(Plan(metadata={"a": "{a?}"}), only, record_of({"b": 1}), {})
    assert (thread.thread_id, thread.is_own_id) == (fitted("s/1"), True)
    assert thread.thread_id.startswith("s-1-")
    assert thread.started == {
        "type": "thread.started",
        "goal": "g",
        "parent": "s",
        "metadata": {"model": "m", "source": "s/1"},
        "policy": "record",
    }
