"""The reference of the command line says what the commands say of themselves.

AGENTLOG_WRITE_DOCS=1 writes it.
"""

import os
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.core import TyperGroup

from tests.command_line import whole_commands

DOCUMENT = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
_HEAD = """\
# Commands

The command line has every operation of the service. `agentlog COMMAND --help` prints what stands
here. A command works on the database of `AGENTLOG_DATABASE_URL`, or on the embedded one in
`--data-dir`; the other [settings](settings.md) hold for it too. Results go to standard output,
problems to standard error. Exit codes: 0 done, 1 refused or failed, 2 used wrongly, 130 after
Ctrl-C; `verify` and those that run agents have their own. `agentlog --version` prints the version.
"""


def test_the_reference_of_the_commands_is_what_they_say_of_themselves() -> None:
    text = "\n".join((_HEAD, *_commands()))
    if os.environ.get("AGENTLOG_WRITE_DOCS") == "1":
        DOCUMENT.write_text(text, "utf-8")
    assert DOCUMENT.read_text("utf-8") == text, "run this test with AGENTLOG_WRITE_DOCS=1"


def _commands() -> Iterator[str]:
    for name, command in sorted(whole_commands().items()):
        yield from _described(command, f"agentlog {name}")


def _described(command: Any, path: str) -> Iterator[str]:
    """Yield the section of a command, then those of the commands below it."""
    context = command.context_class(command, info_name=path)
    usage = " ".join((path, *command.collect_usage_pieces(context)))
    yield f"## `{path}`\n\n    {usage}\n\n{textwrap.fill(command.help or '', 99)}\n"
    records = [
        (" ".join(names.split()), " ".join(text.split()))
        for parameter in command.params
        if (record := parameter.get_help_record(context)) is not None
        for names, text in (record,)
    ]
    if records:
        yield "".join(
            textwrap.fill(f"- `{names}`: {text}", 99, subsequent_indent="  ") + "\n"
            for names, text in records
        )
    if isinstance(command, TyperGroup):
        for name in command.list_commands(context):
            yield from _described(command.get_command(context, name), f"{path} {name}")
