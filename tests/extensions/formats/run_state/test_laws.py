"""Laws of the view over messages that it reads, well formed or not: drawn, hostile ones too."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import print_bytes
from agentlog.extensions.formats.documents import MOST_BYTES
from agentlog.extensions.formats.run_state import files
from agentlog.extensions.formats.run_state.view import RunStateOptions, RunStateView
from agentlog.projections.view import render
from tests.bounds.counted import lines_of
from tests.extensions.formats.run_state.run import asked, gave, noted
from tests.extensions.formats.test_json_patch import operations
from tests.histories import examples, history, json_values
from tests.projections.laws import (
    check_an_older_carry_stays,
    check_rebuilding_gives_equal_bytes,
    check_resuming_equals_replaying,
)

Drafts = list[dict[str, Any]]

call_ids = st.sampled_from(["a", "b", "c"])
texts = st.sampled_from(
    [
        "",
        "x",
        "x\ny\n",
        "     1→x\n",
        "[File: /f (1 lines total)]\n1:x",
        "<memory_blocks><value>\nx\n</value>\n</m>",
        "*** Begin Patch\n+x",
    ]
)
arguments = st.dictionaries(
    st.sampled_from(
        "path file_path command content old_string new_string replace_all insert_line edits todos "
        "plan label new_str taskId status subject input offset new_path".split()
    ),
    texts | json_values | st.sampled_from(["/f", "view", "insert", "rename", "undo_edit", "m"]),
    max_size=5,
)
names = st.sampled_from(
    "Read Write Edit MultiEdit NotebookEdit str_replace_editor apply_patch TodoWrite TaskCreate "
    "TaskUpdate memory_insert memory_replace core_memory_append rethink_memory open edit x".split()
)
spans = st.sampled_from(["s", "t"])
changes = st.lists(operations | json_values, max_size=3)
payloads = st.fixed_dictionaries(
    {},
    optional={
        "id": spans | json_values,
        "span_id": spans | json_values,
        "action": st.sampled_from(["begin", "end"]),
        "changes": changes | json_values,
        "state": json_values | st.dictionaries(st.sampled_from(["store", "a"]), json_values),
        "store": json_values,
        "values": st.dictionaries(
            st.sampled_from("ab"), json_values | st.fixed_dictionaries({"json": json_values})
        ),
        "channelVersions": st.dictionaries(st.sampled_from("ab"), st.none()),
        "actions": st.fixed_dictionaries({"stateDelta": json_values}),
    },
)
kinds = st.sampled_from(
    "inspect.sample_init inspect.sample inspect.state inspect.store inspect.span_begin "
    "inspect.span_end inspect.step langgraph.checkpoint adk.event".split()
)
beside: st.SearchStrategy[Any] = st.just({}) | st.sampled_from(
    ["claude-code", "swe-agent", "adk", "letta-agent"]
).flatmap(
    lambda wire: st.dictionaries(
        st.sampled_from(["toolUseResult", "state", "parts", "label", "actions"]),
        json_values | st.sampled_from(["{}", '{"open_file":"/f"}']),
        max_size=2,
    ).map(lambda fields: noted(wire, **fields))
)
drafts = st.one_of(
    st.builds(asked, names, arguments | json_values, call_ids),
    st.builds(lambda *given, meta: gave(*given, metadata=meta), texts | json_values, call_ids,
              meta=beside),
    st.fixed_dictionaries({"type": kinds, "payload": payloads}),
    st.fixed_dictionaries({"type": st.just("system"), "text": texts}),
    st.fixed_dictionaries({"type": st.just("scratchpad"), "text": texts,
                           "mode": st.just("replace"), "metadata": beside}),
)  # fmt: skip


@given(st.lists(drafts, max_size=12), st.integers(0, 12), st.booleans())
@examples(150)
def test_the_view_keeps_the_laws_of_every_view(given_: Drafts, cut: int, shows_texts: bool) -> None:  # noqa: FBT001 - drawn
    events = history(*given_)
    view = RunStateView(RunStateOptions(texts=shows_texts))
    cut = min(cut, len(events))
    check_rebuilding_gives_equal_bytes(view, events)
    check_resuming_equals_replaying(view, events, cut)
    check_an_older_carry_stays(view, events, cut)
    before, after = render(view, events[:cut]).carry, render(view, events).carry
    parts = {"store", "files", "todos"}
    state = view.state(after)
    assert view.printable(after, parts) == {k: v for k, v in state.items() if k in parts}
    assert (view.patch(before, after) == []) == (view.state(before) == state)


def _doubling(count: int) -> Drafts:
    edit = {"path": "a", "old_string": "x", "new_string": "xx", "replace_all": True}
    writes = [asked("write", {"path": "a", "content": "x"}), gave()]
    return [*writes, *([asked("edit", edit), gave()] * count)]


def _copies(count: int) -> Drafts:
    copy = [{"op": "copy", "from": "/a", "path": "/a/b"}]
    first = {"type": "inspect.sample_init", "payload": {"state": {"store": {"a": {"c": "x" * 99}}}}}
    return [first, *([{"type": "inspect.store", "payload": {"changes": copy}}] * count)]


def _spans(count: int) -> Drafts:
    return [
        draft
        for n in range(count)
        for draft in (
            {"type": "inspect.span_begin", "payload": {"id": f"{n}"}},
            {
                "type": "inspect.store",
                "payload": {"changes": [{"op": "add", "path": "/a", "value": "x" * 99_000}]},
            },
        )
    ]


def _calls(count: int) -> Drafts:
    return [asked("write", {"path": f"{n}", "content": "x" * 9000}, f"{n}") for n in range(count)]


def _members(count: int) -> Drafts:
    return [
        {
            "type": "langgraph.checkpoint",
            "payload": {"values": {f"{n}": {"json": "x" * 9000}}},
        }
        for n in range(count)
    ]


def _files(count: int) -> Drafts:
    return [
        draft
        for n in range(count)
        for draft in (asked("write", {"path": f"{n}", "content": "x" * 9000}), gave())
    ]


def _failures(count: int) -> Drafts:
    return [{"type": "inspect.store", "payload": {"changes": [{"op": "x"}]}}] * count


HOSTILE = [_doubling, _copies, _spans, _calls, _members, _files, _failures]


@pytest.mark.parametrize("run", HOSTILE)
def test_a_state_does_not_grow_without_limit(run: Any) -> None:
    view = RunStateView()
    carry = render(view, history(*run(400))).carry
    assert len(print_bytes(view.state(carry))) <= MOST_BYTES + 2 * files.MOST_TEXTS
    assert len(view.dump(carry)) <= 2 * MOST_BYTES + 4 * files.MOST_TEXTS


@pytest.mark.parametrize("run", HOSTILE)
def test_work_grows_as_the_messages_do(run: Any) -> None:
    view = RunStateView()

    def lines(count: int) -> int:
        events = history(*run(count))
        view.read_ahead(events)
        return lines_of(lambda: render(view, events))

    lines(1)
    assert lines(640) <= 12 * lines(80) + 5000
