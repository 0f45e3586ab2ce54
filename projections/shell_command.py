"""The command in a call of a shell: its first word counts as a tool of its own."""

import re

from agentlog.domain.json.beginning import beginning_of
from agentlog.domain.json.values import JsonValue

SHELLS = (
    "Bash",
    "bash",
    "bash_session",
    "container.exec",
    "exec_command",
    "execute_bash",
    "execute_command",
    "local_shell",
    "run_command",
    "run_in_terminal",
    "run_shell_command",
    "run_terminal_cmd",
    "shell",
    "shell_command",
    "terminal",
)
"""Names under which coding agents have a shell; a tenant may name others."""

_KEYS = ("command", "cmd", "script", "commands")
_BEFORE = re.compile(
    r"\s*(?:(?:[A-Za-z_]\w*=(?:'[^']*'|\"[^\"]*\"|[^\s'\"]*)|sudo|env|cd\s[^;&|\n]*(?:&&|;|\n))\s*)*"
)
"""What stands before the command meant: variables, `sudo`, and a change of directory."""
_WORD = re.compile(r"[^\s;&|<>()'\"`$]{1,64}")


def shell_command(arguments: JsonValue) -> str | None:
    """Return the first word of the command in a call's arguments, without folders; None of none.

    A command is a text, or a list of its words, under `command`, `cmd`, `script` or `commands`.
    `sudo`, variables and `cd` before it are passed over.
    """
    if not isinstance(arguments, dict):
        return None
    command = next((arguments[key] for key in _KEYS if arguments.get(key)), None)
    match command:
        case [str(), "-c" | "-lc", str(text), *_] | [str(text), *_] | str(text):
            pass
        case _:
            return None
    text = beginning_of(text)
    before = _BEFORE.match(text)
    word = _WORD.match(text, 0 if before is None else before.end())
    return None if word is None else word[0].rpartition("/")[2] or None
