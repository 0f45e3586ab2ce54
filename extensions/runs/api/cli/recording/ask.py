"""The command ask: one model call of a thread, asked again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import typer
from rich.console import Console
from rich.text import Text

from agentlog.api.cli.session import (
    AsJson,
    DataDir,
    Hidden,
    InvalidOption,
    pairs_of,
    print_line,
    print_listing,
    service_in,
)
from agentlog.api.cli.terminal import printable
from agentlog.api.filters import metadata_value
from agentlog.api.shapes.lines.model_call import doubt_text
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, text_at
from agentlog.extensions.runs.infrastructure.providers.client import Provider
from agentlog.extensions.runs.infrastructure.providers.errors import ProviderError, UnreadableAnswer
from agentlog.extensions.runs.projections.anthropic_request import anthropic_request
from agentlog.extensions.runs.projections.provider_answers import Dialect, read_answer
from agentlog.extensions.runs.projections.tapes.changes import with_system
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.comparison.comparer import parse_side
from agentlog.infrastructure.settings import ProviderSettings
from agentlog.projections.call_texts import arguments_text, arguments_value
from agentlog.projections.exchanges.answers import Answer
from agentlog.projections.exchanges.model_call import model_call
from agentlog.projections.exchanges.reconstruction import FrozenCall, frozen_call
from agentlog.projections.view import Item

app = typer.Typer()

_COLUMNS = {"model": 0, "in": 2, "out": 3, "cost": 4, "latency": 7, "finish": 6, "answer": 30}


class _Row(NamedTuple):
    """The answer of a model, or the error in its place."""

    source: Literal["recorded", "asked"]
    model: str | None
    answer: Answer
    error: str | None = None


@app.command()
def ask(  # noqa: PLR0913, PLR0917 - one parameter an option
    thread: Annotated[
        str,
        typer.Argument(
            metavar="THREAD[@VERSION]",
            help="The call whose answer stands there, or comes next; else the last one.",
        ),
    ],
    model: Annotated[list[str], typer.Option(help="A model to ask; may be repeated.")],
    system: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Another system prompt.")
    ] = None,
    upstream: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Base URL of the API; default OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the "
            "provider's own.",
        ),
    ] = None,
    dialect: Annotated[
        Dialect | None,
        typer.Option(
            help="The API to ask by; default anthropic for its own address and for claude-…, "
            "else openai."
        ),
    ] = None,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=VALUE", help="A field of the request: temperature=0; null: none."
        ),
    ] = None,
    *,
    hidden: Hidden = False,
    json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Ask models again what a thread asked one, and show their answers beside the recorded one.

    The thread's messages are sent to the providers; keys come from OPENAI_API_KEY and
    ANTHROPIC_API_KEY. Models are asked one after another, each once. Calls of tools are shown and
    not run, and nothing is written to the log.
    """
    fields = {name: metadata_value(text) for name, text in pairs_of("--set", changes, named=True)}
    prompt = None if system is None else _text(system)
    settings = ProviderSettings()
    providers = [
        Provider.of(dialect or _dialect(name, upstream), settings, upstream=upstream)
        for name in model
    ]
    side = parse_side(thread)
    with service_in(data_dir) as service:
        version = service.threads.version_at(side.thread_id, side.moment, hidden=hidden)
        events = service.threads.messages(side.thread_id, hidden=hidden)
    call = frozen_call(events, version)
    recorded = model_call(events, version)
    if recorded.is_doubtful:
        typer.echo(f"doubtful: {doubt_text(recorded)}", err=True)
    bodies = _bodies(call, model, providers, prompt, fields)
    rows: list[_Row] = []
    try:
        for row in _rows(call, zip(model, providers, bodies, strict=True)):
            rows.append(row)
            if json:
                print_line(_json(row))
    finally:  # an answer that is there is shown, also after Ctrl-C
        if rows and not json:
            print_listing(_COLUMNS, [_cells(row) for row in rows])
    if any(row.error is not None for row in rows):
        raise typer.Exit(1)


def _bodies(
    call: FrozenCall,
    models: Sequence[str],
    providers: Sequence[Provider],
    prompt: str | None,
    fields: Mapping[str, JsonValue],
) -> list[Item]:
    """Return the request for each model, and say on standard error what it lacks."""
    chat = call.request if prompt is None else with_system(call.request, prompt)
    missing = [what for what in call.missing if prompt is None or what != "the system prompt"]
    if call.source == "reconstructed":
        lacks = f"; not on record: {', '.join(missing)}" if missing else ""
        typer.echo(f"reconstructed from the messages up to version {call.version}{lacks}", err=True)
    translated, notes = anthropic_request(chat)
    if notes and any(provider.dialect == "anthropic" for provider in providers):
        typer.echo(printable(f"for Anthropic: {'; '.join(notes)}"), err=True)
    bodies: list[Item] = []
    for model, provider in zip(models, providers, strict=True):
        request = translated if provider.dialect == "anthropic" else chat
        body = {**request, "model": model, **fields}
        bodies.append({name: value for name, value in body.items() if value is not None})
    return bodies


def _rows(call: FrozenCall, asked: Iterable[tuple[str, Provider, Item]]) -> Iterator[_Row]:
    """Yield the recorded answer, then that of each model as it comes."""
    if call.answer is not None:
        recorded = call.answer.answer(text_at(call.request, "model"))
        yield _Row("recorded", recorded.model, recorded)
    for model, provider, body in asked:
        try:
            with _shown_waiting(model):
                received = provider.ask(body)
            answer = read_answer(received.document, provider.dialect, model=model, now=wall_clock())
        except InvalidMessage as error:
            unreadable = UnreadableAnswer(str(error), dialect=provider.dialect)
            yield _Row("asked", model, Answer(), str(unreadable))
        except ProviderError as error:
            yield _Row("asked", model, Answer(), str(error))
        else:
            yield _Row("asked", model, answer._replace(latency_ms=received.latency_ms))


def _shown_waiting(model: str) -> AbstractContextManager[object]:
    console = Console(stderr=True)
    if not console.is_terminal:
        return nullcontext()
    return console.status(Text(f"asking {printable(model)}"))


def _json(row: _Row) -> Item:
    answer = row.answer
    return {
        "source": row.source,
        "model": row.model,
        "answeredBy": answer.model,
        "text": answer.text,
        "calls": [
            {"id": call.id, "name": call.name, "arguments": arguments_value(call)}
            for call in answer.calls
        ],
        "finishReason": answer.finish_reason,
        "usage": answer.usage.model_dump(by_alias=True, exclude_none=True),
        "costUsd": answer.cost.usd,
        "prices": answer.cost.prices,
        "latencyMs": answer.latency_ms,
        "error": row.error,
    }


def _cells(row: _Row) -> list[str | None]:
    answer = row.answer
    calls = [f"→ {call.name} {arguments_text(call)}" for call in answer.calls]
    error = [] if row.error is None else [f"error: {row.error}"]
    usd, latency = answer.cost.usd, answer.latency_ms
    return [
        row.model if row.source == "asked" else f"{row.model or 'unknown'} (recorded)",
        _count(answer.usage.input_tokens),
        _count(answer.usage.output_tokens),
        None if usd is None else f"${usd:.6f}",
        None if latency is None else f"{latency / 1000:.1f} s",
        answer.finish_reason,
        "\n".join([*filter(None, [answer.text]), *calls, *error]),
    ]


def _count(tokens: int | None) -> str | None:
    return None if tokens is None else str(tokens)


def _dialect(model: str, upstream: str | None) -> Dialect:
    if upstream is None:
        return "anthropic" if model.startswith("claude") else "openai"
    return "anthropic" if "://api.anthropic.com" in upstream else "openai"


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidOption(f"--system {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidOption(f"--system {file}: not UTF-8") from error
