"""What the result of a tool call says: whether it succeeded, and its error."""

import re
from typing import Literal

from agentlog.domain.messages import ToolError, ToolResult
from agentlog.projections.values import shown

CallOutcome = Literal["succeeded", "failed", "unstated"]

_FAILED_TEXT = re.compile(r"Error\s*(?::|\Z)\s*")
"""Matches an output that reports an error, as this project's views and most agents write it."""

_PARTICULARS = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\b\w*\d[\w.,:/-]*""")
"""Variable parts of an error text: names in quotes, and numbers."""


def result_outcome(result: ToolResult) -> tuple[CallOutcome, str | None, str | None]:
    """Return a call's outcome, the class of its error and its text.

    `"error": null` says that it succeeded. Without the field only a failure can be recognized, by
    the output's text: histories on OpenAI's wire have no other way.
    """
    match result.error:
        case ToolError(name=name, message=message):
            return "failed", name or _class_of(message), shown(message)
        case str(message):
            return "failed", _class_of(message), shown(message)
        case None if "error" in result.model_fields_set:
            return "succeeded", None, None
        case None:
            pass
    output = result.output if isinstance(result.output, str) else ""
    failure = _FAILED_TEXT.match(output)
    if failure is None:
        return "unstated", None, None
    message = output[failure.end() :]
    return "failed", _class_of(message), shown(message)


def _class_of(message: str) -> str:
    """Return the class of an error: its first line without quoted names and numbers."""
    line = message.strip().partition("\n")[0][:200]
    return " ".join(_PARTICULARS.sub("…", line).split()) or "Error"
