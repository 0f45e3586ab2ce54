"""Contexts of spans: what each model call was sent, however contexts follow each other."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.traces.projections.readers.placement import placed
from agentlog.extensions.traces.projections.readers.recorder import recorded
from agentlog.extensions.traces.projections.readers.thread import SpanThread
from agentlog.projections.context.context import context_at
from agentlog.projections.readers.draft import sample_event
from tests.extensions.formats.contexts.reading import said
from tests.extensions.traces.projections.readers.dialects import model_call
from tests.extensions.traces.projections.readers.test_arrivals import arrived
from tests.histories import examples

NAMED = {"gen_ai.conversation.id": "desk"}
SYSTEM = {"role": "system", "text": "be brief"}


def call(number: int, *texts: str) -> Any:
    """Return a model call in a trace of its own; the last text is the answer."""
    said_so_far = [
        {"role": ("user", "assistant")[n % 2], "text": text} for n, text in enumerate(texts)
    ]
    return model_call(number, "conventions", [SYSTEM, *said_so_far[:-1]], said_so_far[-1],
                      trace=f"{number:032x}", **NAMED)  # fmt: skip


def sent(*calls: Any) -> list[str]:
    """Return what stands in the context after the last of some calls."""
    drafts = arrived([[one] for one in calls])
    events = [sample_event(draft, version) for version, draft in enumerate(drafts, 1)]
    return said(context_at(events))


def test_a_summary_takes_the_place_of_what_was_said() -> None:
    told = sent(call(1, "q1", "a1"), call(2, "sum of it", "a2"))
    assert told == ["be brief", "sum of it", "a2"]


def test_what_was_kept_and_what_came_again_stands_in_its_order() -> None:
    longer = call(1, "q1", "a1", "q2", "a2", "q3", "a3")
    assert sent(longer, call(2, "q1", "a1", "q3", "a3", "q4", "a4")) == [
        "be brief",
        "q1",
        "a1",
        "q3",
        "a3",
        "q4",
        "a4",
    ]


def test_a_conversation_goes_on_after_another_in_its_thread() -> None:
    calls = [call(1, "q1", "a1"), call(2, "other", "o1"), call(3, "q1", "a1", "q2", "a2")]
    assert sent(*calls) == ["be brief", "q1", "a1", "q2", "a2"]


@given(st.lists(st.lists(st.sampled_from(["x", "y", "z"]), min_size=1, max_size=3), max_size=4))
@examples(100)
def test_the_last_new_context_is_the_one_of_its_request(walk: list[list[str]]) -> None:
    contexts: list[tuple[str, ...]] = []
    for words in walk:
        kept = contexts[-1] if contexts and words[0] == "x" else ()
        questions = tuple(t for n, w in enumerate(words) for t in (f"{w}?", f"{w}{len(kept)}{n}"))
        contexts.append((*kept, *questions))
    last = [c for n, c in enumerate(contexts) if not any(c == b[: len(c)] for b in contexts[:n])]
    if last and last[-1] == contexts[-1]:
        calls = [call(n, *texts) for n, texts in enumerate(contexts, 1)]
        assert sent(*calls) == ["be brief", *contexts[-1]]


def test_of_a_file_it_is_not_known_what_another_context_kept() -> None:
    spans = [call(1, "q1", "a1", "q2", "a2"), call(2, "q1", "a1", "q3", "a3")]
    rows = placed(spans, lambda _: False)
    drafts = recorded(SpanThread(goes_on=False), [row.span for row in rows])
    events = [sample_event(draft, version) for version, draft in enumerate(drafts, 1)]
    (missing,) = context_at(events).missing
    assert "which messages the client left out" in missing
