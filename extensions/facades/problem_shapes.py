"""Problems in the shapes that the clients of other services know."""

from agentlog.api.http.codec.problems import Problem
from agentlog.domain.json.values import JsonObject, objects_of, text_at

_OURS = 500


def openai(content: Problem) -> JsonObject:
    """The shape of openai 3.54: without `type` and `code` its errors have none."""
    places = [text_at(flaw, "place") for flaw in objects_of(content.get("errors"))]
    error: JsonObject = {
        "message": content["detail"],
        "type": "invalid_request_error" if _status(content) < _OURS else "server_error",
        "param": next((place for place in places if place), None),
        "code": str(content["type"]).rpartition(":")[2],
    }
    return {"error": error}


def detail(content: Problem) -> JsonObject:
    """The shape of letta-client 1.12."""
    return {"detail": content["detail"]}


def maria(content: Problem) -> JsonObject:
    """The shape of Maria's daemon, which has one code for all."""
    return {"error": {"code": -1, "message": content["detail"]}}


def _status(content: Problem) -> int:
    status = content["status"]
    return status if isinstance(status, int) else _OURS
