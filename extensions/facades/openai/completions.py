"""Routes of stored chat completions: each message of the assistant, with the messages before it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice

from fastapi import Request, Response

from agentlog.api.http.codec.bodies import Body, fields_in
from agentlog.api.http.codec.caller import TheLimits, TheOrigin, TheTenant, tenant_of
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.domain.errors import InvalidMessage, NotThere
from agentlog.domain.events import Event
from agentlog.domain.json.values import JsonValue, object_of, text_at
from agentlog.domain.points_in_time import Moment
from agentlog.extensions.facades.errors import UnknownItem
from agentlog.extensions.facades.openai.answers import (
    BEGINNING,
    SPOKEN,
    THREADS,
    Answer,
    completions_at,
    completions_of,
    delete,
    find,
    model_of,
    newest_first,
    read_answer,
)
from agentlog.extensions.facades.openai.sessions import (
    PREFIX,
    After,
    Limit,
    Order,
    listed,
    metadata_in,
    metadata_of,
    page_of,
    replace_metadata,
    texts_of,
)
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.tenants import Tenant
from agentlog.projections.token_words import CHAT
from agentlog.projections.view import Item

router = Router(prefix=PREFIX, in_document=False, threads=THREADS)

_REASONS = frozenset({"stop", "length", "tool_calls", "content_filter", "function_call"})
_MOST_READ = 10_000
"""Messages of assistants that a list looks at for one that matches."""
_FEW = 200
_METADATA = "metadata["


@router.add("GET /chat/completions", "read")
def list_completions(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    at: At,
    after: After = None,
    limit: Limit = 20,
    model: str | None = None,
    order: Order = "asc",
) -> Response:
    """List the completions of all threads, by their places in the log."""
    tenant, wanted = tenant_of(request), _metadata_in(request)
    place = None if after is None else _position(tenant, find(completions_of, tenant, after, None))
    page: list[Item] = []
    spoken = _spoken(tenant.views.reader, tenant, place, order)
    for completion in _completions(tenant, spoken, at, wanted, few=limit + 1):
        if model in (None, completion["model"]):
            page.append(completion)
            if len(page) > limit:
                break
    return json_answer(listed(page[:limit], has_more=len(page) > limit))


_THREADS, _ANSWERS = 100, 20
"""Threads last at work, and answers of each, whose models are listed."""


@router.add("GET /models", "read")
def list_models(tenant: TheTenant) -> Response:
    """List the models of the threads last at work."""
    return json_answer(listed(list(_models(tenant).values()), has_more=False))


@router.add("GET /models/{model:path}", "read")
def retrieve_model(tenant: TheTenant, model: str) -> Response:
    """Return a model of the threads last at work."""
    known = _models(tenant)
    if model not in known:
        raise UnknownItem(model)
    return json_answer(known[model])


def _models(tenant: Tenant) -> Mapping[str, Item]:
    models: dict[str, Item] = {}
    threads, types = tenant.threads, ["llm_request", "llm_response"]
    for head in threads.heads(ThreadFilter(), before=None, limit=_THREADS):
        for event in threads.messages(head.thread_id, types=types, limit=_ANSWERS):
            name = text_at(object_of(event.raw), "model")
            created = 0 if event.recorded_at is None else int(event.recorded_at.timestamp())
            if name is not None:
                models.setdefault(
                    name,
                    {"id": name, "object": "model", "created": created, "owned_by": "agentlog"},
                )
    return models


@router.add("GET /chat/completions/{answer_id}", "read")
def retrieve(request: Request, tenant: TheTenant, answer_id: str, at: At) -> Response:
    """Return a completion."""
    answer = read_answer(request, completions_of, answer_id, at)
    return _shown(tenant, answer, answer_id, at)


@router.add("POST /chat/completions/{answer_id}", "append", reads=True)
def update(  # noqa: PLR0913, PLR0917 - what a request has
    request: Request,
    tenant: TheTenant,
    answer_id: str,
    limits: TheLimits,
    body: Body,
    origin: TheOrigin,
) -> Response:
    """Replace the metadata of the completion's thread."""
    metadata = metadata_in(fields_in(body, limits, "metadata").get("metadata"))
    answer = read_answer(request, completions_of, answer_id, None)
    shown = texts_of(metadata_of(tenant, answer.thread_id, None))
    replace_metadata(tenant, answer.thread_id, shown, metadata, origin)
    return _shown(tenant, answer, answer_id, None)


@router.add("DELETE /chat/completions/{answer_id}", "append")
def delete_completion(tenant: TheTenant, answer_id: str, origin: TheOrigin) -> Response:
    """Delete a completion; the log keeps it."""
    delete(tenant, find(completions_of, tenant, answer_id, None), origin)
    return json_answer({"id": answer_id, "object": "chat.completion.deleted", "deleted": True})


@router.add("GET /chat/completions/{answer_id}/messages", "read")
def list_messages(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    answer_id: str,
    at: At,
    after: After = None,
    limit: Limit = 20,
    order: Order = "asc",
) -> Response:
    """List the messages that the model was asked with."""
    answer = read_answer(request, completions_of, answer_id, at)
    messages = [_message(item, f"{answer.id}.{n}") for n, item in enumerate(answer.items_before)]
    return json_answer(page_of(messages, after=after, limit=limit, order=order))


def _message(item: Item, message_id: str) -> Item:
    """Return a stored message: its content is a text, or stands in `content_parts`."""
    content = item.get("content")
    parts: Item = {"content": None, "content_parts": content} if isinstance(content, list) else {}
    return {"refusal": None, **item, **parts, "id": message_id}


def _shown(tenant: Tenant, answer: Answer, name: str, at: Moment | None) -> Response:
    metadata = metadata_of(tenant, answer.thread_id, at)
    return json_answer({**_completion(answer, metadata), "id": name})


def _completion(answer: Answer, metadata: Mapping[str, JsonValue]) -> Item:
    (message,), call = answer.items, answer.call
    asked = "tool_calls" if message.get("tool_calls") else "stop"
    reason = None if call is None else call.finish_reason
    choice: Item = {
        "index": 0,
        "finish_reason": reason if reason in _REASONS else asked,
        "message": {"refusal": None, **message},
        "logprobs": None,
    }
    completion: Item = {
        "id": answer.id,
        "object": "chat.completion",
        "created": answer.created,
        "model": model_of(answer, metadata),
        "choices": [choice],
        "metadata": texts_of(metadata),
    }
    usage = None if call is None else call.usage
    if usage is not None and usage.input_tokens is not None and usage.output_tokens is not None:
        figures = CHAT.counts(usage)
        figures.setdefault("total_tokens", usage.input_tokens + usage.output_tokens)
        completion["usage"] = figures
    return completion


def _completions(
    tenant: Tenant,
    spoken: Iterator[Event],
    at: Moment | None,
    wanted: Mapping[str, str],
    *,
    few: int,
) -> Iterator[Item]:
    """Yield the completions that begin with events, of threads with the wanted metadata.

    At first those of a few events are made, then more. Raises `InvalidMessage`.
    """
    count = 0
    while events := list(islice(spoken, few)):
        if count >= _MOST_READ:
            raise InvalidMessage.at(
                "metadata",
                f"none of {_MOST_READ} messages matches: find threads by GET /v1/threads",
            )
        made = _by_place(tenant, events, at, wanted)
        for event in events:
            completion = made.get((event.thread_id, event.version))
            if completion is not None:
                yield completion
        count, few = count + len(events), min(2 * few, _FEW)


def _by_place(
    tenant: Tenant, events: Sequence[Event], at: Moment | None, wanted: Mapping[str, str]
) -> dict[tuple[str, int], Item]:
    """Return completions by thread and version; each thread is read once."""
    completions: dict[tuple[str, int], Item] = {}
    threads: dict[str, list[Event]] = {}
    for event in events:
        threads.setdefault(event.thread_id, []).append(event)
    for thread_id, of_thread in threads.items():
        with suppress(NotThere):  # hidden, or of a later time
            metadata = metadata_of(tenant, thread_id, at)
            if wanted.items() <= texts_of(metadata).items():
                for answer in completions_at(tenant, of_thread, at):
                    completions[thread_id, answer.version] = _completion(answer, metadata)
    return completions


def _spoken(reader: LogReader, tenant: Tenant, place: int | None, order: Order) -> Iterator[Event]:
    """Yield the messages of assistants in the log beyond a position, a few read at once."""
    if order == "asc":
        after = place or 0
        while events := reader.log(after=after, types=SPOKEN, limit=_FEW, most_bytes=BEGINNING):
            yield from events
            after = events[-1].position or 0
        return
    newest = tenant.threads.heads(ThreadFilter(), before=None, limit=1, hidden=True)
    upto = newest[0].position if place is None and newest else (place or 1) - 1
    yield from newest_first(reader, SPOKEN, upto)


def _position(tenant: Tenant, answer: Answer) -> int:
    (event,) = tenant.threads.messages(answer.thread_id, after=answer.version - 1, limit=1)
    return event.position or 0


def _metadata_in(request: Request) -> dict[str, str]:
    """Return the metadata that a list is filtered by: `metadata[KEY]=VALUE`."""
    return {
        name.removeprefix(_METADATA).removesuffix("]"): value
        for name, value in request.query_params.multi_items()
        if name.startswith(_METADATA)
    }
