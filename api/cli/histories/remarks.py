"""The commands note, label and verdict: what people say about a thread."""

from typing import Annotated

import typer

from agentlog.api.cli.session import (
    DataDir,
    InvalidOption,
    ThreadArgument,
    print_line,
    service_in,
)
from agentlog.api.shapes.threads import appended_json
from agentlog.domain.json.values import JsonObject
from agentlog.domain.points_in_time import parse_moment
from agentlog.infrastructure.appending.append_request import Appended
from agentlog.infrastructure.threads import Threads

app = typer.Typer()

On = Annotated[
    str | None,
    typer.Option(help="About this event: its version, @position, id or time; else about all."),
]
By = Annotated[str | None, typer.Option(metavar="NAME", help="Who says so.")]


@app.command()
def note(  # noqa: PLR0913, PLR0917 - one parameter an option
    thread: ThreadArgument,
    text: Annotated[str | None, typer.Argument(help="Left out, a note is taken back.")] = None,
    on: On = None,
    replaces: Annotated[
        int | None, typer.Option(metavar="VERSION", help="The note to change or take back.")
    ] = None,
    by: By = None,
    data_dir: DataDir = None,
) -> None:
    """Comment on a thread, or on one of its events."""
    if text is None and replaces is None:
        raise InvalidOption("give a text, or --replaces VERSION to take a note back")
    with service_in(data_dir) as service:
        threads = service.threads
        fields: JsonObject = {
            "text": text,
            "on": _version(threads, thread, on),
            "replaces": replaces,
        }
        appended = _remark(threads, thread, "thread.noted", fields, by)
    print_line(appended_json(appended))


@app.command()
def label(
    thread: ThreadArgument,
    labels: Annotated[list[str] | None, typer.Argument(help="Labels to give.")] = None,
    remove: Annotated[
        list[str] | None, typer.Option(metavar="LABEL", help="A label to take away.")
    ] = None,
    by: By = None,
    data_dir: DataDir = None,
) -> None:
    """Give a thread labels or take some away, and print all of it."""
    if not (labels or remove):
        raise InvalidOption("give LABEL or --remove LABEL")
    with service_in(data_dir) as service:
        fields: JsonObject = {"add": [*(labels or ())], "remove": [*(remove or ())]}
        _remark(service.threads, thread, "thread.labelled", fields, by)
        head = service.threads.head(thread)
    print_line(head.labels)


@app.command()
def verdict(  # noqa: PLR0913, PLR0917 - one parameter an option
    thread: ThreadArgument,
    word: Annotated[
        str | None,
        typer.Argument(metavar="VERDICT", help="pass, fail, or a word of yours."),
    ] = None,
    score: Annotated[float | None, typer.Option(help="A number with it, or instead of it.")] = None,
    criterion: Annotated[
        str | None, typer.Option(metavar="NAME", help="What it is judged by; else all in all.")
    ] = None,
    comment: Annotated[str | None, typer.Option(help="Why.")] = None,
    on: On = None,
    by: By = None,
    data_dir: DataDir = None,
    *,
    remove: Annotated[bool, typer.Option("--remove", help="Take the judgement back.")] = False,
) -> None:
    """Judge a thread, or one of its events; a later judgement by that criterion replaces it."""
    if remove == (word is not None or score is not None):
        raise InvalidOption("give a verdict or --score, or --remove to take it back")
    with service_in(data_dir) as service:
        threads = service.threads
        fields: JsonObject = {
            "criterion": criterion,
            "verdict": word,
            "score": score,
            "comment": comment,
            "on": _version(threads, thread, on),
        }
        appended = _remark(threads, thread, "thread.judged", fields, by)
    print_line(appended_json(appended))


def _version(threads: Threads, thread: str, on: str | None) -> int | None:
    return None if on is None else threads.version_at(thread, parse_moment(on))


def _remark(
    threads: Threads, thread: str, kind: str, fields: JsonObject, by: str | None
) -> Appended:
    metadata: JsonObject = {} if by is None else {"actor": by}
    return threads.remark(thread, {"type": kind, **fields, "metadata": metadata})
