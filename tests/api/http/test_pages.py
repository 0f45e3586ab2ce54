"""Pages for browsers: they need nothing but this service."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from fastapi.testclient import TestClient

from tests.api.refusals import problem_in

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


def test_the_first_page_says_what_this_is_and_where_to_go_on(client: TestClient) -> None:
    page = client.get("/", headers={"Accept": BROWSER}, follow_redirects=False)
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "A message store for AI agents." in page.text
    links = re.findall('href="(.*?)"', page.text)
    assert links == ["/docs", "/healthz", "/v1/threads"]
    assert all(client.get(link).status_code == 200 for link in links)


@pytest.mark.parametrize("accept", ["*/*", "application/json"])
def test_programs_get_the_first_page_as_json(client: TestClient, accept: str) -> None:
    answer = client.get("/", headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["vary"] == "Accept"
    assert answer.json() == {
        "name": "agentlog",
        "summary": "A message store for AI agents.",
        "links": {"docs": "/docs", "health": "/healthz", "threads": "/v1/threads"},
    }


def test_the_docs_load_nothing_from_other_hosts(client: TestClient) -> None:
    page = client.get("/docs")
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "://" not in page.text
    loaded = re.findall(r"""(?:src|href)="(.*?)"|url: '(.*?)'""", page.text)
    paths = [attribute or option for attribute, option in loaded]
    assert len(paths) == 4
    types = []
    for path in paths:
        assert re.match("/[a-z]", path)
        found = client.get(path)
        assert found.status_code == 200
        types.append(found.headers["content-type"].partition(";")[0])
    assert types == ["text/css", "image/png", "text/javascript", "application/json"]


def test_the_policy_of_the_docs_allows_their_own_files_and_their_one_script(
    client: TestClient,
) -> None:
    page = client.get("/docs")
    (script,) = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    directives = dict(
        each.strip().split(" ", 1) for each in page.headers["content-security-policy"].split(";")
    )
    assert directives == {
        "default-src": "'none'",
        "script-src": f"'self' 'sha256-{digest}'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "frame-ancestors": "'none'",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@pytest.mark.parametrize("path", ["/redoc", "/docs/nothing.js", "/docs/%2e%2e/__init__.py"])
def test_there_are_no_other_pages(client: TestClient, path: str) -> None:
    problem_in(client.get(path), 404, "no-such-route")
