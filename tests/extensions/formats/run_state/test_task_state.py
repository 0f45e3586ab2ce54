"""State and store of inspect_ai: patches of spans inside spans tell a change more than once."""

from typing import Any

import jsonpatch
from hypothesis import given
from hypothesis import strategies as st

from agentlog.projections.view import Item
from tests.extensions.formats.run_state.run import state_of
from tests.extensions.formats.test_json_patch import documents
from tests.histories import examples

Draft = dict[str, Any]


def _event(kind: str, **payload: Any) -> Draft:
    return {"type": f"inspect.{kind}", "payload": payload}


def _begin(span: str) -> Draft:
    return _event("span_begin", id=span, span_id=span)


def _end(span: str) -> Draft:
    return _event("span_end", id=span, span_id=span)


def _store(span: str | None, *changes: Item) -> Draft:
    return _event("store", changes=[*changes], **({} if span is None else {"span_id": span}))


def _append(path: str, value: Any) -> Item:
    return {"op": "add", "path": path, "value": value}


INIT = _event("sample_init", state={"store": {"seen": []}, "completed": False})


def test_a_sample_begins_with_its_state_and_its_store_apart() -> None:
    state = state_of(INIT, _event("state", changes=[{"op": "replace", "path": "/completed",
                                                     "value": True}]))  # fmt: skip
    assert state == {
        "task": {"tools": [], "tool_choice": None, "metadata": {}, "completed": True},
        "store": {"seen": []},
    }


def test_what_an_outer_span_tells_again_is_not_done_twice() -> None:
    state = state_of(
        INIT,
        _begin("solver"),
        _begin("tool"),
        _store("tool", _append("/seen/0", "a")),
        _end("tool"),
        _begin("tool2"),
        _store("tool2", _append("/seen/1", "b"), _append("/more", 1)),
        _end("tool2"),
        _event("state", span_id="solver", changes=[
            _append("/store/seen/0", "a"), _append("/store/seen/1", "b"), _append("/store/more", 1)
        ]),
        _store("solver", _append("/seen/0", "a"), _append("/seen/1", "b"), _append("/more", 1)),
        _end("solver"),
    )  # fmt: skip
    assert state["store"] == {"seen": ["a", "b"], "more": 1}
    assert "notApplied" not in state


def test_steps_of_old_logs_are_spans() -> None:
    state = state_of(
        INIT,
        _event("step", action="begin", name="a"),
        _store(None, _append("/seen/0", "a")),
        _event("step", action="end", name="a"),
        _store(None, _append("/seen/1", "b")),
    )
    assert state["store"] == {"seen": ["a", "b"]}


def test_the_conversation_is_no_part_of_it() -> None:
    state = state_of(
        _event("sample_init", state={"messages": [{"role": "user"}], "output": {"model": "m"}}),
        _event("state", changes=[{"op": "add", "path": "/messages/1"},
                                 {"op": "replace", "path": "/output/model"}]),
    )  # fmt: skip
    assert state == {"task": {"tools": [], "tool_choice": None, "metadata": {}}}


def test_a_patch_that_does_not_apply_is_counted_and_told() -> None:
    state = state_of(INIT, _store(None, {"op": "remove", "path": "/never"}, _append("/b", 2)))
    assert state["store"] == {"seen": [], "b": 2}
    assert state["notApplied"] == {
        "count": 1,
        "latest": [{"version": 2, "path": "/store/never", "reason": "there is no 'never'"}],
    }


def test_the_store_of_the_sample_is_the_last() -> None:
    assert state_of(INIT, _event("sample", store={"seen": ["z"]}))["store"] == {"seen": ["z"]}


stores = st.dictionaries(st.sampled_from(["a", "b"]), documents, max_size=2)


@given(stores, st.recursive(stores, lambda inner: st.lists(inner, max_size=3), max_leaves=8))
@examples(200)
def test_spans_of_any_nesting_end_in_the_store_that_there_was(first: Item, run: Any) -> None:
    drafts = [_event("sample_init", state={"store": first})]
    last = _told(drafts, first, run, "s")
    state = state_of(*drafts)
    assert state.get("store", {}) == last
    assert "notApplied" not in state


def _told(drafts: list[Draft], store: Item, run: Any, span: str) -> Item:
    """Add what inspect_ai tells of a span that sets the store, or has spans inside that do."""
    drafts.append(_begin(span))
    last = run if isinstance(run, dict) else store
    for number, inner in enumerate([] if isinstance(run, dict) else run):
        last = _told(drafts, last, inner, f"{span}.{number}")
    patch = list(jsonpatch.make_patch(store, last))
    if patch:
        drafts.append(_store(span, *patch))
    drafts.append(_end(span))
    return last
