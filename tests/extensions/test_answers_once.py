"""An answer counts once, with the most that was told of it, however often and in whatever order.

The situations are those that ccusage and tokscale publish as tests of their counting: lines of one
message repeat or grow, the last has no stop reason, and a session that was resumed or forked says
again what another one said. The judge adds up the source's lines by the providers' ids alone.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import integer_at, object_at
from agentlog.extensions.formats.claude_code.session import FORMAT, _Session
from agentlog.extensions.formats.codex.rollout import FORMAT as CODEX
from agentlog.extensions.traces.projections.export.spans import spans_of
from agentlog.projections.outline.step import total_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.view import render
from agentlog.projections.views.timeline.view import TimelineView
from tests.histories import examples, history
from tests.projections.readmodels.folding import rows_of

Line = dict[str, Any]
Sums = tuple[int, int, int]
"""Answers, input and output tokens."""


def line(
    number: int, answer: str, output: int, *, stop: str | None = None, side: bool = False
) -> Line:
    """Return a line of an answer; cache reads are 10 times what was sent fresh."""
    usage = {
        "input_tokens": len(answer),
        "cache_read_input_tokens": 10 * len(answer),
        "output_tokens": output,
    }
    content = [{"type": "text", "text": f"part {number}"}]
    message: Line = {"id": answer, "role": "assistant", "type": "message", "model": "claude-x"}
    return {
        "type": "assistant",
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "timestamp": f"2026-02-11T10:00:{number % 60:02}.000Z",
        "sessionId": "s",
        "version": "2.1.39",
        "isSidechain": side,
        "message": {**message, "content": content, "usage": usage, "stop_reason": stop},
    }


def words(number: int) -> Line:
    """Return a line of the user."""
    return {
        "type": "user",
        "uuid": f"00000000-0000-4000-8000-{number:012}",
        "timestamp": f"2026-02-11T10:00:{number % 60:02}.000Z",
        "sessionId": "s",
        "version": "2.1.39",
        "message": {"role": "user", "content": f"words {number}"},
    }


def judged(lines: Sequence[Line]) -> Sums:
    """Return the sums of the highest figures of each answer, by the providers' ids."""
    highest: dict[str, Line] = {}
    for item in lines:
        if item["type"] == "assistant":
            usage, answer = item["message"]["usage"], item["message"]["id"]
            known = highest.get(answer, usage)
            highest[answer] = max(known, usage, key=lambda told: told["output_tokens"])
    figures = [*highest.values()]
    read = sum(usage["input_tokens"] + usage["cache_read_input_tokens"] for usage in figures)
    return len(figures), read, sum(usage["output_tokens"] for usage in figures)


def whole(lines: Sequence[Line]) -> list[Draft]:
    """Return the messages of a file that is read as it is now."""
    (read,) = FORMAT.read([*lines])
    return [*read.drafts]


def followed(lines: Sequence[Line]) -> list[Draft]:
    """Return the messages of a file that is read as its lines come."""
    session = _Session()
    return [draft for n, item in enumerate(lines) for draft in session.read(item, f"[{n}]")]


def appended(*readings: Sequence[Draft]) -> list[Draft]:
    """Return the messages of some readings into one thread: what is known is not written again."""
    drafts: dict[str, Draft] = {}
    for reading in readings:
        for draft in reading:
            drafts.setdefault(str(draft["id"]), draft)
    return [*drafts.values()]


def counted(drafts: Sequence[Draft], cuts: Sequence[int] = ()) -> Sums:
    """Return what all that count a thread say of it."""
    events = history(*drafts)
    calls = rows_of(ModelCalls(), events, cuts)
    (thread,) = rows_of(Threads(), events, cuts)
    total = total_of(item.item for item in render(TimelineView(), events).items)
    chats = [object_at(span, "attributes") for span in spans_of("t", events)]
    usages = [chat for chat in chats if "gen_ai.usage.output_tokens" in chat]
    assert all(call.copy_of is None for call in calls)
    sums = [
        (len(calls), _sum(c.input_tokens for c in calls), _sum(c.output_tokens for c in calls)),
        (thread.model_calls, thread.input_tokens or 0, thread.output_tokens or 0),
        (thread.model_calls, total.input_tokens or 0, total.output_tokens or 0),
        (
            len(usages),
            _sum(integer_at(chat, "gen_ai.usage.input_tokens") for chat in usages),
            _sum(integer_at(chat, "gen_ai.usage.output_tokens") for chat in usages),
        ),
    ]
    assert sums == sums[:1] * len(sums)
    return sums[0]


def _sum(counts: Any) -> int:
    return sum(count or 0 for count in counts)


@pytest.mark.parametrize("read", [whole, followed])
def test_the_last_answer_of_a_file_counts_without_a_stop_reason(read: Any) -> None:
    assert counted(read([words(1), line(2, "msg_a", 7)])) == (1, 55, 7)


@pytest.mark.parametrize("read", [whole, followed])
def test_of_an_answers_lines_the_highest_counts(read: Any) -> None:
    lines = [line(1, "msg_a", 1, stop="end_turn"), line(2, "msg_a", 1), line(3, "msg_a", 260)]
    assert counted(read(lines)) == (1, 55, 260)


def test_an_answers_parts_are_one_span_though_its_figures_came_between() -> None:
    lines = [line(1, "msg_a", 1), line(2, "msg_a", 260)]
    spans = spans_of("t", history(*followed(lines)))
    chats = [
        span for span in spans if object_at(span, "attributes")["gen_ai.operation.name"] == "chat"
    ]
    (chat,) = chats
    said = str(object_at(chat, "attributes")["gen_ai.output.messages"])
    assert (said.count("part 1"), said.count("part 2")) == (1, 1)


_lines = st.lists(
    st.one_of(
        st.just(None),
        st.tuples(
            st.sampled_from(["msg_a", "msg_bb", "msg_ccc"]),
            st.sampled_from([0, 1, 1, 7, 260]),
            st.sampled_from([None, None, "end_turn"]),
        ),
    ),
    min_size=1,
    max_size=12,
)


def lines_of(drawn: Sequence[Any]) -> list[Line]:
    return [
        words(n) if item is None else line(n, *item[:2], stop=item[2], side=item[0] == "msg_ccc")
        for n, item in enumerate(drawn, 1)
    ]


@given(drawn=_lines, data=st.data())
@examples(60, long=2000)
def test_a_file_cut_anywhere_read_twice_and_either_way_has_the_figures_of_the_whole(
    drawn: list[Any], data: st.DataObject
) -> None:
    lines = lines_of(drawn)
    cut = data.draw(st.integers(0, len(lines)), label="cut")
    ways = st.sampled_from([whole, followed])
    first, second = data.draw(ways, label="first"), data.draw(ways, label="second")
    at = data.draw(st.lists(st.integers(0, 30), max_size=2), label="batches")
    assert counted(first(lines)) == judged(lines)
    if cut and any(item["type"] == "assistant" for item in lines[:cut]):
        assert counted(first(lines[:cut])) == judged(lines[:cut])
    readings = [first(lines[:cut]), second(lines), first(lines)]
    drafts = appended(*data.draw(st.permutations(readings), label="order"))
    assert counted(drafts, [min(n, len(drafts)) for n in at]) == judged(lines)


# --- Codex: forked files, as ccusage#1370, #1460 and agentsview#657 describe them ---------------

PARENT, FORK = "a17a17a1-0000-7000-8000-000000000001", "a17a17a1-0000-7000-8000-000000000002"
FORKED = 1_780_918_744_000  # 2026-06-08T11:39:04Z


def stamp(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")


def turn_id(at: int) -> str:
    """Return a UUID of version 7 of a time."""
    return str(UUID(int=at << 80 | 7 << 76 | 2 << 62 | 5))


def meta(at: int, own: str, **more: str) -> Line:
    payload = {"id": own, "timestamp": stamp(at), "cwd": "/w", "cli_version": "0.146.0", **more}
    return {"timestamp": stamp(at), "type": "session_meta", "payload": payload}


def turn(began: int, at: int, output: int, total: int, *, how: str) -> list[Line]:
    """Return the lines of a turn that began at one time, written at another."""
    usage = {"input_tokens": 10 * output, "output_tokens": output}
    so_far = {"input_tokens": 10 * total, "output_tokens": total}
    info = {"last_token_usage": usage, "total_token_usage": so_far}
    said = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "a"}],
    }
    begins = {
        "ids": {"type": "turn_context", "payload": {"turn_id": turn_id(began), "model": "gpt-x"}},
        "seconds": {
            "type": "event_msg",
            "payload": {"type": "task_started", "started_at": began // 1000},
        },
        "nothing": {"type": "turn_context", "payload": {"model": "gpt-x"}},
    }
    lines: list[Line] = [
        begins[how],
        {"type": "response_item", "payload": said},
        {"type": "event_msg", "payload": {"type": "token_count", "info": info}},
    ]
    return [{"timestamp": stamp(at), **item} for item in lines]


@given(
    copied=st.lists(st.integers(1, 99), max_size=4),
    own=st.lists(st.integers(1, 99), max_size=3),
    how=st.sampled_from(["ids", "seconds", "nothing"]),
    times=st.sampled_from(["kept", "of the fork"]),
    has_meta=st.booleans(),
)
@examples(60, long=1000)
def test_what_a_fork_of_codex_copied_counts_in_its_origin_alone(
    copied: list[int],
    own: list[int],
    how: str,
    times: str,
    has_meta: bool,  # noqa: FBT001
) -> None:
    lines = [meta(FORKED, FORK, forked_from_id=PARENT)]
    if has_meta:
        lines.append(meta(FORKED, PARENT))
    total = 0
    for n, output in enumerate(copied):
        total += output
        began = FORKED - 90_000_000 + n * 60_000
        lines += turn(began, began if times == "kept" else FORKED + n, output, total, how=how)
    for n, output in enumerate(own):
        total += output
        began = FORKED + 60_000 * (n + 1)
        lines += turn(began, began + 1000, output, total, how=how)
    (read,) = CODEX.read([*lines])
    responses = [draft for draft in read.drafts if draft["type"] == "llm_response"]
    assert [object_at(draft, "usage")["outputTokens"] for draft in responses] == own
    calls = rows_of(ModelCalls(), history(*read.drafts))
    assert [call.output_tokens for call in calls] == own


def test_calls_of_codex_that_left_no_items_are_calls_of_their_own() -> None:
    lines = [
        meta(0, PARENT),
        *turn(1000, 1000, 5, 5, how="ids"),
        *turn(2000, 2000, 7, 12, how="ids"),
    ]
    del lines[5]  # what the second one said
    (read,) = CODEX.read([*lines])
    calls = rows_of(ModelCalls(), history(*read.drafts))
    assert [call.output_tokens for call in calls] == [5, 7]
