"""Calls of tools as operations on files, lists and memory: by the tools' names and arguments.

The names are those of Claude Code, Codex, SWE-agent, OpenHands, opencode, Gemini CLI, Cline,
Copilot, pi, deepagents and Letta, and of Anthropic's text editor and memory tools; capitals,
hyphens and underscores do not count. An operation counts once its call has succeeded.
"""

from collections.abc import Mapping

from agentlog.domain.json.values import (
    JsonObject,
    JsonValue,
    array_of,
    object_of,
    objects_of,
    text_at,
    texts_of,
)
from agentlog.domain.messages import ToolCall
from agentlog.extensions.formats.codex.patch_texts import BEGIN, operations_of_patch

_PATHS = ("file_path", "filePath", "absolute_path", "notebook_path", "path", "old_path", "file")
_CONTENTS = ("content", "file_text", "contents", "text")
_OLD = ("old_string", "oldString", "old_str", "oldText", "old_text")
_NEW = ("new_string", "newString", "new_str", "newText", "new_text", "insert_text")
_RANGES = ("offset", "limit", "view_range", "startLine", "start_line", "line_start", "pages")
_LISTS = ("todos", "plan", "todoList", "todo_list", "task_list", "tasks", "items")

_READS = frozenset("read readfile viewfile".split())
_WRITES = frozenset("write writefile createfile writetofile".split())
_EDITS = frozenset(
    "edit editfile multiedit replace replacestringinfile strreplace searchreplace".split()
)
_OTHER_EDITS = frozenset("notebookedit replaceinfile inserteditintofile".split())
"""Edits whose arguments do not say what becomes of the text."""
_EDITORS = frozenset(
    "strreplaceeditor strreplacebasededittool texteditor fileeditor memory".split()
)
_TODOS = frozenset("todowrite writetodos updateplan managetodolist updatetodolist".split())
_PATCHERS = frozenset(
    "applypatch shell shellcommand localshell execcommand bash containerexec".split()
)
_WINDOWS = frozenset("open goto scrollup scrolldown".split())
_CHANGED_WINDOWS = frozenset("create edit insert".split())
"""SWE-agent's commands on the open file, which their result shows."""
_MEMORY: Mapping[str, str] = {
    "corememoryappend": "append",
    "corememoryreplace": "replace",
    "memoryinsert": "insert",
    "memoryreplace": "replace",
    "memoryrethink": "set",
    "rethinkmemory": "set",
}


def operations_of(call: ToolCall) -> list[JsonValue]:
    """Return what a call does to files, lists and memory, if it does; never fails."""
    name = "".join(sign for sign in call.name.lower() if sign.isalnum())
    args = object_of(call.args)
    if name in _TODOS:
        given = next((args[key] for key in _LISTS if isinstance(args.get(key), list)), None)
        return [{"kind": "todos", "items": given}] if given is not None else []
    if name in {"taskcreate", "taskupdate"}:
        return [{"kind": name, "args": args}]
    if name in _MEMORY:
        return [_memory(_MEMORY[name], args)]
    if name in _PATCHERS and (patch := _patch_in(call, args)) is not None:
        return operations_of_patch(patch)
    path = text_at(args, *_PATHS)
    if path is None:
        kind = "window" if name in _WINDOWS else "changed-window"
        return [{"kind": kind}] if name in _WINDOWS | _CHANGED_WINDOWS else []
    operation = _of_file(name, text_at(args, "command"), args)
    return [] if operation is None else [{**operation, "path": path}]


def _of_file(name: str, command: str | None, args: JsonObject) -> JsonObject | None:
    if name in _EDITORS:
        name = {"view": "read", "create": "write", "str_replace": "edit"}.get(command or "", "")
        if command == "insert":
            new = text_at(args, *_NEW) or ""
            line = args.get("insert_line")
            return {"kind": "edit", "edits": [{"old": "", "new": new, "line": line}]}
        if command == "undo_edit":
            return {"kind": "write", "text": None}
        if command == "delete":
            return {"kind": "delete"}
        if command == "rename":
            return {"kind": "move", "to": args.get("new_path")}
    if name in _READS:
        return {"kind": "read", "isPart": any(args.get(key) is not None for key in _RANGES)}
    if name in _WRITES:
        given = next((args[key] for key in _CONTENTS if isinstance(args.get(key), str)), None)
        return {"kind": "write", "text": given}
    if name in _EDITS:
        edits = objects_of(args.get("edits")) or [args]
        return {"kind": "edit", "edits": [_edit(edit) for edit in edits]}
    if name in _OTHER_EDITS:
        return {"kind": "write", "text": None}
    kind = "window" if name in _WINDOWS else "changed-window"
    return {"kind": kind} if name in _WINDOWS | _CHANGED_WINDOWS else None


def _edit(args: JsonObject) -> JsonObject:
    everywhere = args.get("replace_all") is True or args.get("replaceAll") is True
    old, new = text_at(args, *_OLD) or "", text_at(args, *_NEW) or ""
    return {"old": old, "new": new, **({"all": True} if everywhere else {})}


def _memory(how: str, args: JsonObject) -> JsonObject:
    label = text_at(args, "label", "target_block_label", "name")
    old = text_at(args, "old_content", *_OLD)
    new = text_at(args, "new_memory", "content", "new_content", *_NEW)
    line = args.get("insert_line", -1)
    return {"kind": "memory", "how": how, "label": label, "old": old, "new": new, "line": line}


def _patch_in(call: ToolCall, args: JsonObject) -> str | None:
    """Return the text with a patch of Codex in a call's arguments."""
    given: list[str] = [call.arguments_text] if call.arguments_text is not None else []
    for value in args.values():
        given += [value] if isinstance(value, str) else texts_of(array_of(value))
    # a text of arguments that is JSON has its line breaks escaped
    return next((text for text in given if f"{BEGIN}\n" in text), None)
