"""An agent's list of things to do, in one shape: text, status, and the id where it has one."""

from collections.abc import Sequence

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonObject, JsonValue, object_at, object_of, text_at

MOST_BYTES = 2**16
_TEXTS = ("content", "step", "description", "title", "text", "task", "subject")


def items_of(given: Sequence[JsonValue]) -> list[JsonValue] | None:
    """Return a list as it was given; None where it is too large to be kept."""
    items: list[JsonValue] = [_item(item) for item in given]
    return items if len(print_bytes(items)) <= MOST_BYTES else None


def _item(given: JsonValue) -> JsonValue:
    fields = object_of(given)
    text = given if isinstance(given, str) else text_at(fields, *_TEXTS)
    if text is None:
        return given
    status = text_at(fields, "status", "state")
    named = fields.get("id")
    return {"text": text, "status": status, **({} if named is None else {"id": named})}


def with_task(
    items: Sequence[JsonValue], operation: JsonObject, noted: JsonObject, output: str
) -> list[JsonValue] | None:
    """Return a list after Claude Code's `TaskCreate` or `TaskUpdate`; None where that is too large.

    `noted` and `output` are those of the result, which has the id of a task that was created.
    """
    args = object_at(operation, "args")
    if operation.get("kind") == "taskcreate":
        named = object_at(noted, "task").get("id") or _number_in(output)
        text = text_at(args, *_TEXTS)
        return _kept([*items, {"text": text, "status": "pending", "id": named}])
    changed: list[JsonValue] = []
    for item in items:
        fields = object_of(item)
        if str(fields.get("id")) != str(args.get("taskId")):
            changed.append(item)
        elif args.get("status") != "deleted":
            text, status = text_at(args, "subject"), text_at(args, "status")
            more: JsonObject = {} if text is None else {"text": text}
            changed.append({**fields, **more, **({} if status is None else {"status": status})})
    return _kept(changed)


def _kept(items: list[JsonValue]) -> list[JsonValue] | None:
    return items if len(print_bytes(items)) <= MOST_BYTES else None


def _number_in(output: str) -> str | None:
    """Return the id in `Task #1 created successfully: …`."""
    number = output.partition("#")[2].partition(" ")[0]
    return number if number.isascii() and number.isdecimal() else None
