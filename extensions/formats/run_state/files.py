"""An agent's working files, as far as its own calls and their results tell them.

What a shell does to files is not known. The text of a file is null where it is not: it was never
seen whole, an edit did not fit what was known of it, or it is too large.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agentlog.domain.json.values import JsonObject, JsonValue, object_of, text_at
from agentlog.extensions.formats.json_patch import Failure
from agentlog.projections.carries.persistent_list import Layers

MOST_TEXT = 2**18
"""Characters of a file whose text is kept."""
MOST_TEXTS = 2**20
"""Characters of all texts that are kept."""
_MOST_WORK = 2**26
"""Characters that are searched for the edits of one message."""


@dataclass(slots=True)  # not frozen: construction would take 4x as long per event
class File:
    """What is known of a file; `read` and `changed` are the last versions that did so."""

    text: str | None = None
    reads: int = 0
    changes: int = 0
    read: int | None = None
    changed: int | None = None
    is_deleted: bool = False

    def shown(self, *, texts: bool) -> JsonObject:
        """Return the file as JSON; without `texts`, only how long its text is."""
        text = self.text
        return {
            **({"text": text} if texts else {}),
            "characters": None if text is None else len(text),
            "lines": None if text is None else len(text.splitlines()),
            "reads": self.reads,
            "changes": self.changes,
            "lastRead": self.read,
            "lastChanged": self.changed,
            **({"deleted": True} if self.is_deleted else {}),
        }


@dataclass(slots=True)
class Files:
    """Files by their paths, and the sum of their texts in characters."""

    known: Layers[File] = field(default_factory=Layers)
    size: int = 0

    def after(self, operations: Sequence[JsonValue], version: int) -> tuple["Files", list[Failure]]:
        """Return the files after operations of `calls`, and those that do not apply."""
        work, failures = _Work(self, version), list[Failure]()
        for operation in map(object_of, operations):
            reason = work.apply(operation)
            if reason is not None:
                failures.append(Failure(str(operation.get("path"))[:200], reason))
        return work.done(), failures


@dataclass(slots=True)
class _Work:
    """Files while the operations of one message are applied; `left` is what may be searched."""

    files: Files
    version: int
    changed: dict[str, File] = field(default_factory=dict)
    left: int = _MOST_WORK
    size: int = 0

    def __post_init__(self) -> None:
        self.size = self.files.size

    def done(self) -> Files:
        return Files(self.files.known.with_changes({**self.changed}), self.size)

    def apply(self, operation: JsonObject) -> str | None:
        """Apply an operation; return why its text is not known from then on, if so."""
        path = text_at(operation, "path") or ""
        before = self._file(path)
        match operation:
            case {"kind": "read", "text": str() | None as text}:
                read = replace(before, reads=before.reads + 1, read=self.version, is_deleted=False)
                return self._put(path, read, before.text if text is None else text)
            case {"kind": "delete"}:
                self._put(path, self._changed(before, is_deleted=True), None)
                return None
            case {"kind": "move", "to": str(to)}:
                self._put(path, self._changed(before, is_deleted=True), None)
                return self._put(to, self._changed(self._file(to)), before.text)
            case {"kind": "write", "text": str() | None as text}:
                return self._put(path, self._changed(before), text)
            case {"kind": "edit", "edits": list(edits)}:
                text, reason = before.text, None
                for edit in edits:
                    text, reason = self._edited(text, object_of(edit))
                    if reason is not None:
                        break
                return self._put(path, self._changed(before), text) or reason
            case _:
                return None

    def _file(self, path: str) -> File:
        return self.changed.get(path) or self.files.known.get(path) or File()

    def _changed(self, file: File, *, is_deleted: bool = False) -> File:
        changes, version = file.changes + 1, self.version
        return replace(file, changes=changes, changed=version, is_deleted=is_deleted)

    def _put(self, path: str, file: File, text: str | None) -> str | None:
        self.size -= len(self._file(path).text or "")
        reason = None
        if text is not None and (len(text) > MOST_TEXT or self.size + len(text) > MOST_TEXTS):
            text, reason = None, "its text is too large to be kept"
        self.size += len(text or "")
        self.changed[path] = replace(file, text=text)
        return reason

    def _edited(self, text: str | None, edit: JsonObject) -> tuple[str | None, str | None]:
        """Return a text after an edit, and why it is not known, if so."""
        if text is None:
            return None, "what it was before the edit is not on record"
        old, new = text_at(edit, "old") or "", text_at(edit, "new") or ""
        self.left -= len(text)
        if self.left < 0:
            return None, "the message has too many edits"
        if not old:
            line = edit.get("line")
            if isinstance(line, int) and not isinstance(line, bool):
                return _inserted(text, line, new), None
            return (None, "the edit says not where") if text else (new, None)
        count = text.count(old) if edit.get("all") is True else min(text.count(old), 1)
        if not count:
            return None, "the edit is of a text that it does not have"
        if len(text) + count * (len(new) - len(old)) > MOST_TEXT:
            return None, "its text is too large to be kept"
        return text.replace(old, new, count), None


def _inserted(text: str, line: int, new: str) -> str:
    """Return a text with another after a line, 0 before the first; a negative one is the end."""
    lines = text.splitlines(keepends=True)
    place = len(lines) if line < 0 else min(line, len(lines))
    if place and not lines[place - 1].endswith("\n"):
        lines[place - 1] += "\n"
    ended = new if not new or new.endswith("\n") or place == len(lines) else new + "\n"
    return "".join([*lines[:place], ended, *lines[place:]])
