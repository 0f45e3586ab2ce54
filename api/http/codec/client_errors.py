"""Errors in the shapes that the clients of facades know; everywhere else they are problems."""

from collections.abc import Callable, Mapping

from agentlog.api.http.codec.problems import Problem
from agentlog.domain.json.values import JsonObject, objects_of, text_at

Shape = Callable[[Problem], JsonObject]

_WORTH_A_RETRY = frozenset({408, 429, 500, 503})


def client_error(path: str, content: Problem) -> JsonObject | None:
    """Return a problem as the client of the facade at `path` knows it; None outside of facades."""
    shape = next((known for prefix, known in _SHAPES.items() if path.startswith(prefix)), None)
    return None if shape is None else shape(content)


def retry_headers(status: int) -> dict[str, str]:
    """Return what stops clients that retry each 409 and 501, as those of OpenAI and Letta do."""
    return {} if status in _WORTH_A_RETRY else {"x-should-retry": "false"}


def _openai(content: Problem) -> JsonObject:
    """The shape of openai 3.54: without `type` and `code` its errors have none."""
    places = [text_at(flaw, "place") for flaw in objects_of(content.get("errors"))]
    error: JsonObject = {
        "message": content["detail"],
        "type": "invalid_request_error" if _status(content) < _OURS else "server_error",
        "param": next((place for place in places if place), None),
        "code": str(content["type"]).rpartition(":")[2],
    }
    return {"error": error}


def _detail(content: Problem) -> JsonObject:
    """The shape of letta-client 1.12 and of LangSmith's SDK."""
    return {"detail": content["detail"]}


def _maria(content: Problem) -> JsonObject:
    """The shape of Maria's daemon, which has one code for all."""
    return {"error": {"code": -1, "message": content["detail"]}}


_OURS = 500


def _status(content: Problem) -> int:
    status = content["status"]
    return status if isinstance(status, int) else _OURS


_SHAPES: Mapping[str, Shape] = {
    "/openai/": _openai,
    "/letta/": _detail,
    "/langsmith/": _detail,
    "/maria/": _maria,
}
