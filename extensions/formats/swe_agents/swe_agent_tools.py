"""SWE-agent's own commands, and the words by which their results say how they ended.

A trajectory has no other sign of it. The words are what the programs in `tools/*/bin` of
github.com/SWE-agent/SWE-agent print, at the head of a result, before they exit.
"""

import re

from agentlog.domain.json.values import JsonValue
from agentlog.projections.view import Item

SHELL = "bash"

_NAMES = (
    "open goto scroll_down scroll_up create edit insert set_cursors find_file search_dir "
    "search_file filemap str_replace_editor view_image submit exit_forfeit"
)
COMMANDS = frozenset(_NAMES.split())
"""Names of the commands that SWE-agent gives a model beside those of the shell."""

REFUSED_EDIT = (
    "Your proposed edit has introduced new syntax error|Your edit was not applied"  # by its editor
)
_HEAD = r"\s*(?:OBSERVATION:\s*)?"
_FAILED = re.compile(
    _HEAD + rf"(?:{REFUSED_EDIT}"
    r"|Your search and replace strings are the same|No file open|No replacement was performed"
    r"|Usage: |Error: |Unrecognized command |Parameter `|Invalid `"
    r"|Directory .{1,999} not found|File already exists at: "
    r"|The (?:parent directory|path) .{1,999} (?:does not exist|is not))"
)
_SUCCEEDED = re.compile(
    _HEAD + r"(?:\[File: |File updated\. |Text replaced\. |Edit successful\."
    r"|Replaced \d{1,9} occurrences|Found \d{1,9} matches|No matches found"
    r"|The file .{1,999} has been edited|File created successfully|Here's the )"
)


def tool_of(action: str) -> str:
    """Return the tool of an action written as text: SWE-agent's own command, else the shell."""
    words = action.split(maxsplit=1)
    return words[0] if words and words[0] in COMMANDS else SHELL


def result_of(tool: str | None, output: JsonValue) -> Item:
    """Return the fields of a result; that of a command's own has failed or not by its words."""
    if tool not in COMMANDS or not isinstance(output, str):
        return {"output": output}
    if _FAILED.match(output):
        return {"output": None, "error": output}
    return {"output": output, **({"error": None} if _SUCCEEDED.match(output) else {})}
