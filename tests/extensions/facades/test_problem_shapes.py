"""Errors as clients of facades know them."""

import json

import pytest

from agentlog.api.http.codec.responses import error_answer
from agentlog.domain.errors import (
    AgentlogError,
    Flaw,
    InvalidMessage,
    UnknownThread,
    VersionConflict,
)
from agentlog.infrastructure.postgres.errors import DatabaseUnavailable


def _scope(path: str) -> dict[str, str]:
    return {"method": "GET", "path": path}


def test_outside_of_facades_an_error_is_a_problem() -> None:
    answer = error_answer(UnknownThread("t"), _scope("/v1/threads/t"))
    assert json.loads(answer.body)["type"] == "urn:agentlog:problem:unknown-thread"
    assert "x-should-retry" not in answer.headers


def test_openai_has_message_type_param_and_code() -> None:
    error = InvalidMessage([Flaw("items[0].role", "no such role")])
    answer = error_answer(error, _scope("/openai/v1/conversations"))
    (shown,) = json.loads(answer.body).values()
    assert shown["type"] == "invalid_request_error"
    assert shown["param"] == "items[0].role"
    assert shown["code"] == "invalid-message"
    assert "no such role" in shown["message"]
    assert answer.status_code == 422


def test_letta_has_a_detail() -> None:
    answer = error_answer(UnknownThread("t"), _scope("/letta/v1/agents/t"))
    assert set(json.loads(answer.body)) == {"detail"}


@pytest.mark.parametrize(
    ("error", "worth"),
    [
        (VersionConflict("t", expected=1, actual=2), False),
        (UnknownThread("t"), False),
        (DatabaseUnavailable("away"), True),
    ],
)
def test_a_useless_retry_is_told_to_clients_that_retry(
    error: AgentlogError, *, worth: bool
) -> None:
    answer = error_answer(error, _scope("/openai/v1/responses/r"))
    assert answer.headers.get("x-should-retry") == (None if worth else "false")


def test_a_defect_of_ours_is_in_the_shape_too() -> None:
    answer = error_answer(ValueError("secret"), _scope("/openai/v1/responses/r"))
    assert json.loads(answer.body)["error"]["type"] == "server_error"
    assert b"secret" not in answer.body
