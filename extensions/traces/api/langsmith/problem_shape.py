"""Problems in the shape that LangSmith's SDK knows."""

from agentlog.api.http.codec.problems import Problem
from agentlog.domain.json.values import JsonObject


def detail(content: Problem) -> JsonObject:
    """Return a problem with its `detail` alone."""
    return {"detail": content["detail"]}
