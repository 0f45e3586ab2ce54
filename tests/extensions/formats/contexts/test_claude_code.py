"""Claude Code: the context is the way from a line to its root, as its own loader walks it."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agentlog.extensions.formats.claude_code.session import FORMAT
from agentlog.projections.context.context import context_at
from agentlog.projections.exchanges.model_call import model_call
from agentlog.projections.readers.fields import id_of_uuid
from agentlog.projections.registry import choose_view
from agentlog.projections.view import render
from tests.extensions.formats.contexts.reading import events_in, said
from tests.histories import examples

Line = dict[str, Any]
SUMMARY = "This session is being continued from a previous conversation."


def uuid(n: int) -> str:
    return f"cc000000-0000-4000-8000-{n:012d}"


def line(n: int, kind: str, parent: int | None, **fields: Any) -> Line:
    """Return a line; its parent is the number of another."""
    return {
        "parentUuid": None if parent is None else uuid(parent),
        "isSidechain": False,
        "sessionId": "s",
        "version": "2.1.39",
        "type": kind,
        "uuid": uuid(n),
        "timestamp": f"2026-02-03T10:{n // 60:02d}:{n % 60:02d}.000Z",
        **fields,
    }


def user(n: int, text: Any, parent: int | None = None, **fields: Any) -> Line:
    return line(n, "user", parent, message={"role": "user", "content": text}, **fields)


def answer(n: int, block: Any, parent: int, *, of: str | None = None) -> Line:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block]
    figures = {"input_tokens": 50, "output_tokens": 5}
    message = {"id": of or f"msg_{n}", "type": "message", "role": "assistant", "model": "claude-x"}
    return line(
        n, "assistant", parent, message={**message, "content": content, "usage": figures}
    )  # fmt: skip


def call(n: int, parent: int, *, of: str) -> Line:
    block = {"type": "tool_use", "id": f"c{n}", "name": "Bash", "input": {}}
    return answer(n, block, parent, of=of)


def result(n: int, parent: int) -> Line:
    block = {"type": "tool_result", "tool_use_id": f"c{parent}", "content": "ok"}
    return user(n, [block], parent)


def boundary(n: int, before: int | None, **metadata: Any) -> Line:
    about = {"trigger": "auto", "preTokens": 155_000, **metadata}
    logical = None if before is None else uuid(before)
    return line(
        n, "system", None, subtype="compact_boundary", content="Conversation compacted",
        logicalParentUuid=logical, compactMetadata=about,
    )  # fmt: skip


def summary(n: int, parent: int | None, text: str = SUMMARY) -> Line:
    return user(n, text, parent, isCompactSummary=True, isVisibleInTranscriptOnly=True)


def dropped(context: Any) -> list[tuple[int, str]]:
    return [(one.version, one.cause) for one in context.dropped]


REWOUND = [user(1, "plan A"), answer(2, "A.", 1), user(3, "wrong", 2), answer(4, "W.", 3),
           user(5, "right", 2), answer(6, "R.", 5)]  # fmt: skip
COMPACTED = [user(1, "long ago"), answer(2, "Old.", 1), boundary(3, 2), summary(4, 3),
             user(5, "next", 4), answer(6, "New.", 5)]  # fmt: skip


def test_a_branch_that_was_left_is_not_sent() -> None:
    context = context_at(events_in(FORMAT, REWOUND))
    assert said(context) == ["plan A", "A.", "right", "R."]
    assert {cause for _, cause in dropped(context)} == {"branch"}
    assert context.missing == []


def test_the_branch_is_that_of_the_version_asked_for() -> None:
    events = events_in(FORMAT, REWOUND)
    wrong = next(e.version for e in events if getattr(e.message, "text", None) == "W.")
    assert said(context_at(events, wrong)) == ["plan A", "A.", "wrong", "W."]


def test_a_compaction_leaves_its_summary_as_the_users_words() -> None:
    events = events_in(FORMAT, COMPACTED)
    context = context_at(events)
    assert said(context) == [SUMMARY, "next", "New."]
    assert [event.type for event in context.events if said_type(event)] == [
        "input",
        "input",
        "reply",
    ]
    assert dropped(context) == [(1, "compaction"), (2, "compaction")]
    assert said(context_at(events, 2)) == ["long ago", "Old."]


def said_type(event: Any) -> bool:
    return event.type in {"input", "reply", "system"}


def test_a_model_call_after_a_compaction_has_no_system_prompt_of_its_summary() -> None:
    events = events_in(FORMAT, COMPACTED)
    sent = model_call(events, events[-1].version).sent
    assert [item["role"] for item in sent.messages] == ["user", "user"]
    assert "the system prompt" in sent.missing


def test_a_compaction_without_its_summary_says_so() -> None:
    lines = [*COMPACTED[:3], user(5, "next", 3)]
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == ["next"]
    assert context.missing == ["the summary of the compaction at version 3"]


def test_a_summary_of_old_versions_begins_anew_by_itself() -> None:
    lines = [user(1, "long ago"), answer(2, "Old.", 1), summary(3, None), user(4, "next", 3)]
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == [SUMMARY, "next"]
    assert dropped(context) == [(1, "compaction"), (2, "compaction")]


def test_what_a_compaction_keeps_stands_behind_its_summary_or_before_it() -> None:
    def lines(anchor: int) -> list[Line]:
        kept = {"headUuid": uuid(3), "tailUuid": uuid(4), "anchorUuid": uuid(anchor)}
        return [user(1, "long ago"), answer(2, "Old.", 1), user(3, "kept", 2), answer(4, "K.", 3),
                boundary(5, 4, preservedSegment=kept), summary(6, 5),
                user(7, "next", 6)]  # fmt: skip

    assert said(context_at(events_in(FORMAT, lines(6)))) == [SUMMARY, "kept", "K.", "next"]
    assert said(context_at(events_in(FORMAT, lines(5)))) == ["kept", "K.", SUMMARY, "next"]


def test_a_line_may_follow_what_a_compaction_kept() -> None:
    # as 2.1.197 wrote it after the second of two `/compact`, where the request had no more
    kept = {"uuids": [uuid(8)], "anchorUuid": uuid(10)}
    lines = [*COMPACTED, user(7, "again", 6), answer(8, "Kept.", 7),
             boundary(9, 8, preservedMessages=kept), summary(10, 9, "Second summary."),
             user(11, "last", 8), answer(12, "Last.", 11)]  # fmt: skip
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == ["Second summary.", "Kept.", "last", "Last."]
    assert {cause for _, cause in dropped(context)} == {"compaction"}
    assert context.missing == []


def test_a_forked_session_begins_with_its_compaction() -> None:
    kept = {"uuids": [uuid(2)], "anchorUuid": uuid(4)}
    lines = [boundary(3, 2, preservedMessages=kept), summary(4, 3), answer(2, "Kept.", 4),
             user(5, "next", 2)]  # fmt: skip
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == [SUMMARY, "Kept.", "next"]
    assert context.missing == []


def test_results_that_were_cleared_have_no_output() -> None:
    cleared = {"trigger": "auto", "compactedToolIds": ["c2"], "clearedAttachmentUUIDs": []}
    lines = [user(1, "go"), call(2, 1, of="m"), result(3, 2), call(4, 3, of="n"), result(5, 4),
             line(6, "system", 5, subtype="microcompact_boundary", content="Context microcompacted",
                  microcompactMetadata=cleared),
             user(7, "on", 6)]  # fmt: skip
    events = events_in(FORMAT, lines)
    sent = [placed.item for placed in render(choose_view("openai", {"messages": "sent"}), events)
            .items]  # fmt: skip
    outputs = [item["content"] for item in sent if item["role"] == "tool"]
    assert outputs == ["[Old tool result content cleared]", "ok"]
    assert context_at(events).dropped == []
    assert "cleared" not in str(context_at(events, events[4].version).events[-1].body)


def test_what_was_made_of_attachments_is_missing() -> None:
    listing = {"type": "skill_listing", "content": "- a"}
    notice = {"type": "queued_command", "prompt": "<task-notification>Done.</task-notification>",
              "commandMode": "task-notification"}  # fmt: skip
    lines = [user(1, "go"), line(2, "attachment", 1, attachment=listing), answer(3, "Go.", 2),
             line(4, "attachment", 3, attachment=notice), answer(5, "Seen.", 4)]  # fmt: skip
    events = events_in(FORMAT, lines)
    context = context_at(events)
    assert said(context) == ["go", "Go.", notice["prompt"], "Seen."]
    assert [event.type for event in context.events if event.type in {"input", "system"}] == [
        "input", "input"]  # fmt: skip
    assert context.missing == ["what was written of attachments of the kind 'skill_listing'"]
    compacted = [*lines, boundary(6, 5), summary(7, 6)]
    assert context_at(events_in(FORMAT, compacted)).missing == []


def test_results_of_parallel_calls_stand_with_their_calls() -> None:
    lines = [user(1, "go"), call(2, 1, of="m"), call(3, 2, of="m"), result(4, 2), result(5, 3),
             answer(6, "Both.", 5), user(7, "thanks", 6)]  # fmt: skip
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == [
        "go",
        "call c2",
        "call c3",
        "result c2",
        "result c3",
        "Both.",
        "thanks",
    ]
    assert context.dropped == []


def test_a_sidechain_in_the_file_is_a_context_of_its_own() -> None:
    side = [{**user(3, "do a part"), "isSidechain": True},
            {**answer(4, "Part.", 3), "isSidechain": True}]  # fmt: skip
    events = events_in(FORMAT, [user(1, "go"), answer(2, "Go.", 1), *side, user(5, "on", 2)])
    assert said(context_at(events)) == ["go", "Go.", "on"]
    inside = next(e.version for e in events if getattr(e.message, "text", None) == "Part.")
    assert said(context_at(events, inside)) == ["do a part", "Part."]


def test_lines_that_name_no_parents_follow_each_other() -> None:
    lines = [user(1, "one"), user(2, "two"), {**answer(3, "Three.", 1), "parentUuid": None}]
    assert said(context_at(events_in(FORMAT, lines))) == ["one", "two", "Three."]


def test_a_parent_that_is_not_on_record_is_missing() -> None:
    lines = [user(8, "on", 7), answer(9, "On.", 8)]
    context = context_at(events_in(FORMAT, lines))
    assert said(context) == ["on", "On."]
    (missing,) = context.missing
    assert "before version 1" in missing


def test_views_show_what_was_said_or_what_was_sent() -> None:
    events = events_in(FORMAT, COMPACTED)
    for name in ("openai", "anthropic"):
        said_items = render(choose_view(name), events).items
        sent_items = render(choose_view(name, {"messages": "sent"}), events).items
        assert len(said_items) == 6 - 1
        assert [item.item["role"] for item in sent_items][-1] == "assistant"
        assert "long ago" not in str(sent_items)
        assert SUMMARY in str(sent_items)


@st.composite
def sessions(draw: st.DrawFn) -> list[Line]:
    """Draw a tree of lines: prompts, answers, rewinds to any line, compactions that keep or not."""
    lines: list[Line] = [user(1, "text 1")]
    for n in range(2, draw(st.integers(2, 25))):
        kind = draw(st.sampled_from(["user", "user", "answer", "answer", "rewind", "compact"]))
        last = draw(st.sampled_from(_ends(lines)))
        if kind == "compact":
            spoken = [one for one in _Oracle(lines).before(last) if one in _spoken(lines)]
            kept: dict[str, Any] = {}
            if draw(st.booleans()) and spoken:
                uuids = spoken[draw(st.integers(0, len(spoken) - 1)) :]
                anchor = uuid(draw(st.sampled_from([2 * n + 1000, 2 * n + 1001])))
                part = {"headUuid": uuids[0], "tailUuid": uuids[-1], "anchorUuid": anchor}
                kept["preservedSegment"] = part
                if draw(st.booleans()):
                    kept["preservedMessages"] = {"uuids": uuids, "anchorUuid": anchor}
            lines.append(boundary(2 * n + 1000, _number(last), **kept))
            lines.append(summary(2 * n + 1001, 2 * n + 1000, f"text {2 * n + 1001}"))
            continue
        parent = draw(st.sampled_from(_spoken(lines))) if kind == "rewind" else last
        say = answer if kind == "answer" else user
        lines.append(say(n, f"text {n}", _number(parent)))
    return lines


def _ends(lines: list[Line]) -> list[str]:
    """Return the lines that the next may follow: after a compaction also the last that it kept."""
    last = lines[-1]
    kept = _kept(lines[-2]) if last.get("isCompactSummary") else {}
    return [last["uuid"], *([kept["tailUuid"]] if kept else [])]


def _spoken(lines: list[Line]) -> list[str]:
    return [one["uuid"] for one in lines if not one.get("subtype")]


def _number(key: str) -> int:
    return int(key[-12:])


def _kept(line: Line) -> dict[str, str]:
    part: dict[str, str] = line.get("compactMetadata", {}).get("preservedSegment", {})
    return part


class _Oracle:
    """The context after each line: its parent's, as that stands when it comes."""

    def __init__(self, lines: list[Line]) -> None:
        self.ways: dict[str, list[str]] = {}
        self.keepers: list[tuple[list[str], str]] = []
        kept: list[str] = []
        for one in lines:
            key, part = one["uuid"], _kept(one)
            if one.get("subtype"):
                before, kept = self.before(one["logicalParentUuid"]), []
                if part:
                    kept = before[before.index(part["headUuid"]) :]
                    kept = kept[: kept.index(part["tailUuid"]) + 1]
                self.ways[key], is_behind = [key, *kept], part.get("anchorUuid") != key
            elif one.get("isCompactSummary"):
                way = [key, *kept] if is_behind else [*kept, key]
                self.ways[key] = [one["parentUuid"], *way]
                self.keepers.append((kept, key))
            else:
                self.ways[key] = [*self.before(one["parentUuid"]), key]

    def before(self, parent: str | None) -> list[str]:
        """Return the context that a line goes on from which comes next."""
        if parent is None:
            return []
        for kept, keeper in reversed(self.keepers):
            if parent in kept:
                way = self.ways[keeper]
                return way[: way.index(parent) + 1]
        return self.ways[parent]


@given(sessions())
@examples(100)
def test_a_context_is_what_a_walk_over_the_parents_gives(lines: list[Line]) -> None:
    events, ways = events_in(FORMAT, lines), _Oracle(lines).ways
    by_id = {one["uuid"]: one for one in lines}
    version = 0
    for leaf in lines:
        texts = [text for key in ways[leaf["uuid"]] if (text := _text(by_id[key])) is not None]
        version = max(
            e.version for e in events if e.message_id == _id(leaf) or e.version <= version
        )
        context = context_at(events, version)
        assert said(context) == texts
        assert context.missing == (
            [f"the summary of the compaction at version {version}"] if leaf.get("subtype") else []
        )


def _id(leaf: Line) -> str | None:
    return id_of_uuid(leaf["uuid"])


def _text(one: Line) -> str | None:
    content = one.get("message", {}).get("content")
    text: str | None = content[0]["text"] if isinstance(content, list) else content
    return text
