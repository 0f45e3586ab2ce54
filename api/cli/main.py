"""Entry point of the command line. The module of a command is imported when it is called."""

from difflib import get_close_matches
from importlib.metadata import version
from pkgutil import resolve_name
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group
from typing_extensions import override

from agentlog.api.cli.commands import COMMANDS
from agentlog.extension import Command, added


def all_commands() -> dict[str, Command]:
    """Return the commands by name: ours, then those that extensions add.

    A name of two words, as `export dataset`, is a command of a group of ours.

    Raises:
        BrokenExtension: an installed extension cannot be used.
    """
    own_lines = added("commands", taken=COMMANDS).items()
    return {**COMMANDS, **{name: command for name, command in own_lines if " " not in name}}


def _named(name: str) -> Command | None:
    return COMMANDS.get(name) or all_commands().get(name)  # ours look at no extension


class _LazyGroup(TyperGroup):
    """Lists commands by what their table says, and imports the one to run."""

    @override
    def list_commands(self, ctx: Any) -> list[str]:
        from agentlog.api.cli.failures import failing_clearly  # noqa: PLC0415 - as below

        with failing_clearly():
            return list(all_commands())

    @override
    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        command = _named(cmd_name)
        if command is None:
            return None
        return TyperCommand(cmd_name, help=command.help, rich_help_panel=command.group)

    @override
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, *rest = args
        command = _named(name)
        if command is not None:
            called = get_group(resolve_name(command.app)).commands[name]
            if not ctx.resilient_parsing:
                _refuse_old_options(ctx, called, rest)
            return name, called, rest
        if not ctx.resilient_parsing and (meant := _meant_by(name)):
            ctx.fail(f"No such command {name!r}. Did you mean {' or '.join(meant)}?")
        return super().resolve_command(ctx, args)  # refuses it, but not where a shell completes

    @override
    def invoke(self, ctx: Any) -> Any:
        from agentlog.api.cli.failures import failing_clearly  # noqa: PLC0415 - `--help` is quick

        with failing_clearly():
            return super().invoke(ctx)


def _refuse_old_options(ctx: Any, command: Any, args: list[str]) -> None:  # noqa: ANN401 - of typer
    """Refuse options that have become terms of `--filter`."""
    while args and isinstance(command, TyperGroup):
        inner = command.get_command(ctx, args[0])
        if inner is None:
            return
        command, args = inner, args[1:]
    options = {option for parameter in command.params for option in parameter.opts}
    unknown = [arg for arg in args if arg.startswith("--") and arg.split("=")[0] not in options]
    if "--filter" in options and (unknown or args.count("--where") > 1):
        from agentlog.api.old_spellings import refuse_old_options  # noqa: PLC0415 - rarely needed

        takes = [option.removeprefix("--") for option in options]
        refuse_old_options(command.name, takes, args)


def _meant_by(name: str) -> list[str]:
    """Return the commands that one who types a name that is none may mean."""
    if name == "help":
        return ["--help"]
    commands = all_commands()
    by_word = [other for other, command in commands.items() if name in command.words]
    return by_word or get_close_matches(name, commands, n=1)


app = typer.Typer(
    cls=_LazyGroup,
    name="agentlog",
    help="An event-sourced message store for AI agents.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["--help", "-h"]},
    pretty_exceptions_enable=False,
    suggest_commands=False,
)


def _print_version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"agentlog {version('agentlog')}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    asked: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    del asked
