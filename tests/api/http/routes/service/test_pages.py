"""Pages for browsers: they need nothing but this service."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from agentlog.api.http.routes.service import pages
from tests.api.refusals import problem_in

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


SCREENS = ["/", "/threads/t", "/compare", "/reports", "/reports/usage", "/sql", "/audit", "/keys"]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A built page in the place of the real one, which a checkout may not have."""
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>built</title>")
    (tmp_path / "assets" / "index-Ab1_-.js").write_text("plain")
    (tmp_path / "assets" / "index-Ab1_-.js.br").write_bytes(b"packed")
    (tmp_path / "assets" / "secret.txt").write_text("no")
    monkeypatch.setattr(pages, "PAGE", tmp_path)
    return tmp_path


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", SCREENS)
def test_every_screen_is_the_page_under_its_policy(client: TestClient, path: str) -> None:
    page = client.get(f"{path}?at=5&view=openai", headers={"Accept": BROWSER})
    assert page.status_code == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.text == "<title>built</title>"
    policy = page.headers["content-security-policy"]
    assert "script-src 'self'; style-src 'self';" in policy
    assert "unsafe" not in policy


def test_without_a_built_page_it_is_said_how_to_build_it(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PAGE", tmp_path)
    page = client.get("/", headers={"Accept": BROWSER}, follow_redirects=False)
    assert page.status_code == 200
    assert "make page" in page.text
    links = re.findall('href="(.*?)"', page.text)
    assert links == ["/docs", "/healthz", "/v1/threads"]
    assert all(client.get(link).status_code == 200 for link in links)


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    ("accepted", "content"),
    [("gzip, br", b"packed"), ("br;q=0.9", b"packed"), ("gzip", b"plain"), ("abr", b"plain")],
)
def test_files_of_the_page_come_packed_to_whom_takes_that_and_are_kept_for_ever(
    client: TestClient, accepted: str, content: bytes
) -> None:
    with client.stream(
        "GET", "/assets/index-Ab1_-.js", headers={"Accept-Encoding": accepted}
    ) as response:
        assert b"".join(response.iter_raw()) == content
    assert response.headers["content-type"] == "text/javascript; charset=utf-8"
    assert response.headers.get("content-encoding") == ("br" if content == b"packed" else None)
    assert response.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert response.headers["vary"] == "Accept-Encoding"


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize(
    "name", ["none-1.js", "secret.txt", "index-Ab1_-.js.br", "..%2findex.html", "a%00.js"]
)
def test_nothing_else_is_a_file_of_the_page(client: TestClient, name: str) -> None:
    problem_in(client.get(f"/assets/{name}"), 404, "no-such-route")


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
        response = client.get(path)
        assert response.status_code == 200
        types.append(response.headers["content-type"].partition(";")[0])
    assert types == ["text/css", "image/png", "text/javascript", "application/json"]


def test_the_policy_of_the_docs_allows_their_own_files_and_their_one_script(
    client: TestClient,
) -> None:
    page = client.get("/docs")
    (script,) = re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
    digest = b64encode(sha256(script.encode()).digest()).decode()
    directives = dict(
        part.strip().split(" ", 1) for part in page.headers["content-security-policy"].split(";")
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


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("path", ["/nowhere", "/threads/a/b"])
def test_a_browser_at_no_screen_gets_the_page_which_says_so(client: TestClient, path: str) -> None:
    browser = {"Accept": "text/html,*/*;q=0.8"}
    response = client.get(path, headers=browser)
    assert response.status_code == 404
    assert response.content == client.get("/", headers=browser).content
    problem_in(client.get("/v1/nowhere", headers=browser), 404, "no-such-route")
