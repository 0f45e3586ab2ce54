"""Items of a growing history over HTTP: read as its file would be, and given back as they came."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.projections.views.test_source import FILES, items_in


def append(client: TestClient, items: Any, *, of: str = "claude-code", **headers: str) -> Any:
    url = "/v1/threads/t/messages"
    return client.post(url, params={"format": of}, content=json.dumps(items), headers=headers)


def view(client: TestClient, name: str, **query: str) -> Any:
    asked = client.get(f"/v1/threads/t/views/{name}", params={"bare": "true", **query})
    return asked.raise_for_status().json()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_items_come_back_as_they_were_sent(client: TestClient, name: str, size: int) -> None:
    items = items_in(name)
    for begin in range(0, len(items), size):
        append(client, items[begin : begin + size], of=name).raise_for_status()
    assert view(client, "source") == items
