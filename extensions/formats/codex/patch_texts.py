"""Patches as Codex writes them (`*** Begin Patch`), as operations on files."""

from collections.abc import Iterator, Sequence

from agentlog.domain.json.values import JsonValue

BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _UPDATE, _DELETE = "*** Add File: ", "*** Update File: ", "*** Delete File: "
_MOVE = "*** Move to: "


def operations_of_patch(text: str) -> list[JsonValue]:
    """Return the operations of a patch in a text, which may be a command around it."""
    lines = text[text.index(BEGIN) :].splitlines()
    heads = [n for n, line in enumerate(lines) if line.startswith((_ADD, _UPDATE, _DELETE))]
    last = next((n for n, line in enumerate(lines) if line.startswith(_END)), len(lines))
    ends = [*heads[1:], last]
    return [
        operation
        for head, end in zip(heads, ends, strict=True)
        if head < last
        for operation in _of_file(lines[head], lines[head + 1 : end])
    ]


def _of_file(head: str, lines: Sequence[str]) -> Iterator[JsonValue]:
    if head.startswith(_DELETE):
        yield {"kind": "delete", "path": head[len(_DELETE) :]}
    elif head.startswith(_ADD):
        text = "".join(f"{line[1:]}\n" for line in lines if line.startswith("+"))
        yield {"kind": "write", "path": head[len(_ADD) :], "text": text}
    else:
        path = head[len(_UPDATE) :]
        hunks = [*_hunks(lines)]
        if hunks:
            yield {"kind": "edit", "path": path, "edits": hunks}
        for line in lines:
            if line.startswith(_MOVE):
                yield {"kind": "move", "path": path, "to": line[len(_MOVE) :]}


def _hunks(lines: Sequence[str]) -> Iterator[JsonValue]:
    """Yield each hunk as the lines that it replaces and those in their place."""
    old, new = list[str](), list[str]()
    for line in [*lines, "@@"]:
        if line.startswith("@@"):
            if old or new:
                yield {"old": "".join(old), "new": "".join(new)}
            old, new = [], []
        elif line.startswith("+"):
            new.append(f"{line[1:]}\n")
        elif line.startswith("-"):
            old.append(f"{line[1:]}\n")
        elif not line.startswith("***"):
            old.append(f"{line[1:]}\n")
            new.append(f"{line[1:]}\n")
