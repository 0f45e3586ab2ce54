"""Working files: as calls write, edit and read them, once they have succeeded."""

from typing import Any

import pytest

from agentlog.extensions.formats.run_state.view import RunStateOptions, RunStateView
from agentlog.projections.view import Item, render
from tests.extensions.formats.run_state.run import asked, gave, noted, state_of
from tests.histories import history

CAT = "     1→one\n     2→two\n"
PATCH = """*** Begin Patch
*** Add File: n.txt
+one
+two
*** Update File: m.txt
@@
 keep
-old
+new
*** Delete File: gone.txt
*** End Patch"""


def _files(*drafts: dict[str, Any]) -> Item:
    files = state_of(*drafts).get("files", {})
    assert isinstance(files, dict)
    return files


def _text(path: str, *drafts: dict[str, Any]) -> Any:
    file = _files(*drafts)[path]
    assert isinstance(file, dict)
    return file["text"]


def test_a_file_is_what_was_written_and_then_edited() -> None:
    write = asked("Write", {"file_path": "/a", "content": "one\ntwo\n"})
    edit = asked("Edit", {"file_path": "/a", "old_string": "two", "new_string": "2"}, "b")
    assert _files(write, gave(), edit, gave(call_id="b")) == {
        "/a": {
            "text": "one\n2\n",
            "characters": 6,
            "lines": 2,
            "reads": 0,
            "changes": 2,
            "lastRead": None,
            "lastChanged": 4,
        }
    }


def test_without_texts_only_their_length_is_shown() -> None:
    view = RunStateView(RunStateOptions(texts=False))
    drafts = [asked("Write", {"file_path": "/a", "content": "one\n"}), gave()]
    shown = view.state(render(view, history(*drafts)).carry)["files"]
    assert isinstance(shown, dict)
    assert isinstance(shown["/a"], dict)
    assert "text" not in shown["/a"]
    assert shown["/a"]["characters"] == 4


def test_a_call_that_failed_or_has_no_result_changes_nothing() -> None:
    write = asked("Write", {"file_path": "/a", "content": "one"})
    assert state_of(write) == {}
    assert state_of(write, gave(None, error="read-only")) == {}


@pytest.mark.parametrize(
    ("output", "beside", "args", "text"),
    [
        (CAT, {}, {}, "one\ntwo\n"),
        (CAT, {}, {"offset": 1}, None),
        ("     7→one\n", {}, {}, None),
        ("one\ntwo\n", {}, {}, None),
        (
            "",
            {"file": {"content": "x", "startLine": 1, "numLines": 1, "totalLines": 1}},
            {},
            "x",
        ),
        (CAT, {"file": {"content": "x", "startLine": 1, "numLines": 1, "totalLines": 9}}, {}, None),
    ],
)
def test_a_file_is_known_that_was_read_whole(
    output: str, beside: Item, args: Item, text: str | None
) -> None:
    result = gave(output, metadata=noted("claude-code", toolUseResult=beside))
    assert _text("/a", asked("Read", {"file_path": "/a", **args}), result) == text


def test_an_edit_of_what_is_not_known_is_counted_and_the_text_is_null() -> None:
    edit = asked("Edit", {"file_path": "/a", "old_string": "x", "new_string": "y"})
    state = state_of(edit, gave())
    assert _text("/a", edit, gave()) is None
    assert state["notApplied"] == {
        "count": 1,
        "latest": [
            {
                "version": 2,
                "path": "/a",
                "reason": "what it was before the edit is not on record",
            }
        ],
    }


def test_an_edit_may_be_of_each_place_and_several_at_once() -> None:
    write = asked("write_file", {"path": "a", "content": "x x y"})
    edits = [{"old_string": "x", "new_string": "z", "replace_all": True},
             {"old_string": "y", "new_string": "w"}]  # fmt: skip
    several = asked("MultiEdit", {"file_path": "a", "edits": edits}, "b")
    assert _text("a", write, gave(), several, gave(call_id="b")) == "z z w"


def test_the_editor_of_anthropic_creates_replaces_inserts_and_views() -> None:
    def edit(call_id: str, command: str, **args: Any) -> list[dict[str, Any]]:
        call = asked("str_replace_editor", {"command": command, "path": "/a", **args}, call_id)
        return [call, gave(call_id=call_id)]

    drafts = [
        *edit("a", "create", file_text="one\nthree\n"),
        *edit("b", "insert", insert_line=1, new_str="two"),
        *edit("c", "str_replace", old_str="three", new_str="3"),
        *edit("d", "view"),
    ]
    assert _text("/a", *drafts) == "one\ntwo\n3\n"
    assert _text("/a", *drafts, *edit("e", "undo_edit")) is None


@pytest.mark.parametrize(
    "call",
    [
        asked("apply_patch", argumentsText=PATCH),
        asked("apply_patch", {"input": PATCH}),
        asked("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF"]}),
    ],
)
def test_patches_of_codex_are_applied(call: dict[str, Any]) -> None:
    before = asked("write", {"path": "m.txt", "content": "keep\nold\nrest\n"}, "w")
    files = _files(before, gave(call_id="w"), call, gave())
    texts = {path: file["text"] for path, file in files.items() if isinstance(file, dict)}
    assert texts == {"n.txt": "one\ntwo\n", "m.txt": "keep\nnew\nrest\n", "gone.txt": None}
    assert isinstance(files["gone.txt"], dict)
    assert files["gone.txt"]["deleted"] is True


def test_windows_of_swe_agent_show_the_file() -> None:
    shown = "[File: a.py (2 lines total)]\n1:x = 1\n2:y = 2\n(Open file: a.py)"
    state = noted("swe-agent", state={"open_file": "/repo/a.py", "working_dir": "/repo"})
    drafts = [asked("edit", {"command": "edit 1:1\nx = 1\nend_of_edit"}),
              gave(shown, metadata=state)]  # fmt: skip
    assert _text("/repo/a.py", *drafts) == "x = 1\ny = 2\n"
    assert state_of(*drafts)["environment"] == {
        "open_file": "/repo/a.py",
        "working_dir": "/repo",
    }
    part = "[File: /repo/a.py (200 lines total)]\n(99 more lines above)\n100:x = 1\n"
    assert _text("/repo/a.py", asked("open", {"command": "open a.py"}), gave(part)) is None


def test_texts_that_are_too_large_are_null_and_told() -> None:
    write = asked("write", {"path": "a", "content": "x" * 200_000})
    double = asked(
        "edit",
        {"path": "a", "old_string": "x", "new_string": "xx", "replace_all": True},
        "b",
    )
    state = state_of(write, gave(), double, gave(call_id="b"))
    assert state["notApplied"] == {
        "count": 1,
        "latest": [{"version": 4, "path": "a", "reason": "its text is too large to be kept"}],
    }
