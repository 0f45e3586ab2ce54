"""Routes of responses: each answer of a model, with the items before it."""

from collections.abc import Iterator, Mapping
from typing import Annotated

from fastapi import Query, Request, Response

from agentlog.api.http.codec.caller import TheOrigin, TheTenant
from agentlog.api.http.codec.parameters import At
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.routing import Router
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue
from agentlog.extensions.facades.errors import NotCancellable
from agentlog.extensions.facades.openai.answers import (
    THREADS,
    Answer,
    delete,
    find,
    model_of,
    read_answer,
    responses_of,
)
from agentlog.extensions.facades.openai.sessions import (
    PREFIX,
    After,
    Limit,
    Order,
    metadata_of,
    page_of,
    texts_of,
)
from agentlog.projections.view import Item

router = Router(prefix=PREFIX, in_document=False, threads=THREADS)


@router.add("GET /responses/{answer_id}", "read")
def retrieve(  # noqa: PLR0913 - one parameter a choice
    request: Request,
    tenant: TheTenant,
    answer_id: str,
    at: At,
    *,
    stream: bool = False,
    starting_after: Annotated[int, Query(ge=-1)] = -1,
) -> Response:
    """Return a response, or its events after one as a stream."""
    answer = read_answer(request, responses_of, answer_id, at)
    response = {**_response(answer, metadata_of(tenant, answer.thread_id, at)), "id": answer_id}
    if not stream:
        return json_answer(response)
    frames = [
        b"event: %b\ndata: %b\n\n" % (str(event["type"]).encode(), print_bytes(event))
        for number, event in enumerate(_events(response, answer))
        if number > starting_after
    ]
    return Response(b"".join(frames), media_type="text/event-stream")


@router.add("DELETE /responses/{answer_id}", "append")
def delete_response(tenant: TheTenant, answer_id: str, origin: TheOrigin) -> Response:
    """Delete a response; the log keeps it."""
    delete(tenant, find(responses_of, tenant, answer_id, None), origin)
    return json_answer({"id": answer_id, "object": "response.deleted", "deleted": True})


@router.add("POST /responses/{answer_id}/cancel", "read")
def cancel(request: Request, answer_id: str) -> Response:
    """Refuse to cancel a response: it has ended."""
    read_answer(request, responses_of, answer_id, None)
    raise NotCancellable


@router.add("GET /responses/{answer_id}/input_items", "read")
def list_input_items(  # noqa: PLR0913, PLR0917 - one parameter a choice
    request: Request,
    answer_id: str,
    at: At,
    after: After = None,
    limit: Limit = 20,
    order: Order = "desc",
) -> Response:
    """List the items that the model was asked with."""
    items = read_answer(request, responses_of, answer_id, at).items_before
    return json_answer(page_of(items, after=after, limit=limit, order=order))


def _response(answer: Answer, metadata: Mapping[str, JsonValue]) -> Item:
    output: list[JsonValue] = [*answer.items]
    return {
        "created_at": answer.created,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": texts_of(metadata),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": None,  # its type needs figures that only an import has
        **answer.beside,
        "id": answer.id,
        "object": "response",
        "model": model_of(answer, metadata),
        "conversation": {"id": answer.thread_id},
        "output": output,
    }


def _events(response: Item, answer: Answer) -> Iterator[Item]:
    """Yield the events by which a response would have come, without those of single tokens."""
    begun: Item = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[Item] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(answer.items):
        for name in ("added", "done"):
            kind = f"response.output_item.{name}"
            events.append({"type": kind, "output_index": index, "item": item})
    status = response["status"]
    ending = status if status in ("failed", "incomplete") else "completed"
    events.append({"type": f"response.{ending}", "response": response})
    return ({**event, "sequence_number": number} for number, event in enumerate(events))
