"""The command of a shell's call: what a person would say was run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.values import JsonValue
from agentlog.projections.shell_command import shell_command


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        ({"command": "git status"}, "git"),
        ({"command": "/usr/bin/python3 -m pytest"}, "python3"),
        ({"cmd": "cd /repo && FOO=1 sudo make test"}, "make"),
        ({"cmd": "cd /repo\nls"}, "ls"),
        ({"command": "cd /repo"}, "cd"),
        ({"command": ["bash", "-lc", "ls -la"]}, "ls"),
        ({"command": ["git", "diff"]}, "git"),
        ({"script": "  edit 3:4 <<EOF"}, "edit"),
        ({"command": "A='x y' env B=2 run"}, "run"),
        ({"command": ""}, None),
        ({"command": "$(date)"}, None),
        ({"command": ["bash", 1]}, "bash"),
        ({"command": [1]}, None),
        ({"path": "git"}, None),
        ("git status", None),
        (None, None),
    ],
)
def test_the_first_word_is_the_command(arguments: JsonValue, command: str | None) -> None:
    assert shell_command(arguments) == command


@given(text=st.text())
def test_any_text_has_a_command_or_none(text: str) -> None:
    command = shell_command({"command": text})
    assert command is None or (command in text and 0 < len(command) <= 64)
