"""Parameters of queries: no route takes one that the document does not name."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.testclient import TestClient

from agentlog.infrastructure.threads import Threads
from tests.api.refusals import Refusals, problem_in
from tests.infrastructure.appends import reply


def test_no_operation_takes_a_parameter_that_its_document_does_not_name(
    app: FastAPI, client: TestClient
) -> None:
    for path, item in app.openapi()["paths"].items():
        for method in item:
            answer = client.request(method, path.format_map(_Anything()), params={"colour": "red"})
            problem_in(answer, 422, "unknown-parameter", "'colour' is no parameter of this route")


class _Anything(dict[str, str]):
    """What stands for each parameter of a path."""

    def __missing__(self, name: str) -> str:
        return "x"


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("/v1/log?limt=1", "limit"),
        ("/v1/threads/t/messages?Limit=1", "limit"),
        ("/v1/threads?fliter=open", "filter"),
        ("/v1/threads/t/views/openai?tool_name=x", "tool_names"),
        ("/v1/analytics/tools?fron=2026-01-01", "from"),
        ("/v1/projections?await=1", "wait"),
        ("/v1/log/events?folow=false", "follow"),
    ],
)
def test_the_nearest_name_is_told(refusals: Refusals, asked: str, nearest: str) -> None:
    words = (f"the nearest is {nearest}",)
    refusals.check("GET", asked, *words, status=422, name="unknown-parameter")


@pytest.mark.parametrize("asked", ["?", "?limit=1&limit=1", "?limit=1&&", "?f%69lter=x"])
def test_what_is_named_is_taken_however_it_is_written(
    client: TestClient, threads: Threads, asked: str
) -> None:
    threads.append("t", [reply("hi")])
    assert client.get(f"/v1/threads{asked}").status_code == 200
    assert client.head("/v1/threads/t").status_code in {200, 405}


def test_pages_about_the_document_take_anything(client: TestClient) -> None:
    assert client.get("/docs?colour=red").status_code == 200


def test_requests_for_the_document_at_once_draw_it_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[None] = []

    def counting(**given: Any) -> dict[str, Any]:
        drawn.append(None)
        return get_openapi(**given)

    monkeypatch.setattr("agentlog.api.http.app.get_openapi", counting)
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(client.get, ["/openapi.json"] * 8))
    assert [answer.status_code for answer in answers] == [200] * 8
    assert len(drawn) == 1
