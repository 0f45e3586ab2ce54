"""Pages for browsers: they need nothing but this service."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from fastapi.testclient import TestClient

from tests.api.refusals import problem_in


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
