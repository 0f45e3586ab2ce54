"""What every refused request has in common."""

from dataclasses import dataclass
from typing import Any

from fastapi.testclient import TestClient

from agentlog.api.http.codec.responses import client_error
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import check_log, last_position

PROBLEM = "urn:agentlog:problem:"


def problem_in(response: Any, status: int, name: str, *words: str) -> dict[str, Any]:
    """Check that a response is that problem and says these words; return it."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["type"] == PROBLEM + name
    assert body["status"] == status
    assert body["title"]
    assert not body["title"].endswith(".")
    for word in words:
        assert word in body["detail"]
    return body


def detail_in(response: Any, status: int, name: str, *words: str) -> str:
    """Check that a response is that problem, or it in the shape of a facade; return its text."""
    if client_error(response.url.path, {"type": "", "status": status, "detail": ""}) is None:
        return str(problem_in(response, status, name, *words)["detail"])
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert all(word in response.text for word in words)
    return str(response.text)


@dataclass(frozen=True)
class Refusals:
    """Asks for what must be refused."""

    client: TestClient
    database: Database

    def check(
        self, method: str, path: str, *words: str, status: int, name: str, **asked: Any
    ) -> dict[str, Any]:
        """Ask, and check the problem, its words, and that the log has not moved; return it."""
        before = last_position(self.database)
        response = self.client.request(method, path, **asked)
        problem = problem_in(response, status, name, *words)
        assert last_position(self.database) == before
        check_log(self.database)
        return problem

    def append(
        self,
        body: bytes,
        *words: str,
        status: int = 422,
        name: str = "invalid-message",
        **asked: Any,
    ) -> dict[str, Any]:
        """The same for an append to thread `t`."""
        return self.check(
            "POST",
            "/v1/threads/t/messages",
            *words,
            status=status,
            name=name,
            content=body,
            **asked,
        )
