"""Who is answered: with which keys, from where, and what strangers are told."""

import logging
import re
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.api.http.middleware.authentication import AnonymousFrom
from agentlog.api.http.middleware.permissions import Permissions
from agentlog.api.http.routing import Router
from agentlog.domain.access import SCOPES, Scope
from agentlog.infrastructure.keys.key import KeyText
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.threads import Threads
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.keyholders import bearing, empty_keys, keys_of, make_key
from tests.api.refusals import detail_in, problem_in
from tests.api.routes import NEEDS, ROUTES
from tests.infrastructure.appends import TENANT, reply
from tests.infrastructure.postgres.relay import Relay
from tests.waiting import WAIT_SECONDS

Headers = Sequence[tuple[str, str]]


@pytest.fixture
def database(database: Database) -> Iterator[Database]:
    """A database without any key; nor has it one for the next test."""
    yield database
    empty_keys(database)


def test_without_any_key_everybody_may_do_everything(client: TestClient) -> None:
    assert client.post("/v1/threads/t/messages", json=reply("hi")).status_code == 201
    for path in ("/v1/threads/t", "/metrics", "/v1/keys"):
        assert client.get(path).status_code == 200, path


def test_after_the_first_key_nobody_is_answered_without_one(client: TestClient) -> None:
    made = client.post("/v1/keys", json={"name": "first", "scopes": ["read"]})
    assert made.status_code == 201
    assert client.get("/v1/threads").status_code == 401
    key = made.json()["key"]
    assert client.get("/v1/threads", headers=bearing(key)).status_code == 200


def test_a_key_that_is_made_elsewhere_closes_the_service_within_a_moment(
    app: FastAPI, client: TestClient
) -> None:
    now = [time.monotonic()]
    keys_of(app)._ticks = lambda: now[0]
    assert client.get("/v1/threads").status_code == 200
    keys_of(app).keys.create("other", name="x", scopes=("read",))
    now[0] += 1.0
    assert client.get("/v1/threads").status_code == 401


def test_revoked_keys_count_as_keys(app: FastAPI, client: TestClient) -> None:
    key = make_key(app)
    keys_of(app).keys.revoke(TENANT, key.key_id)
    assert client.get("/v1/threads").status_code == 401


def test_whether_it_lives_is_nobodys_secret(app: FastAPI, client: TestClient) -> None:
    make_key(app)
    for path in ("/healthz", "/readyz"):
        assert client.get(path).status_code == 200
        assert client.get(path, headers=bearing("nonsense")).status_code == 200


@pytest.fixture
def key(app: FastAPI) -> KeyText:
    """A key that reads."""
    return make_key(app)


def _refused(app: FastAPI, key: KeyText) -> Iterator[tuple[str, Headers]]:
    """Yield every way to be nobody, and what the log says of it."""
    elapsed = make_key(app, expires_at=datetime.now(UTC) - timedelta(seconds=1))
    revoked = make_key(app)
    keys_of(app).keys.revoke(TENANT, revoked.key_id)
    text = key.reveal()
    yield "no key", ()
    yield "what is no key", bearing("")
    yield "what is no key", bearing("sk-somebody-elses-token")
    yield "what is no key", bearing(text[:-1])
    yield "what is no key", bearing(text + "0")
    yield "what is no key", [("Authorization", text)]
    yield "what is no key", [("Authorization", f"Basic {text}")]
    yield "there is none", bearing(KeyText("a" * 12, key.secret))
    yield "its secret is another", bearing(KeyText(key.key_id, "0" * 64))
    yield "it has expired", bearing(elapsed)
    yield "it was revoked", bearing(revoked)
    yield "what is no key", bearing(key, ("Authorization", f"Bearer {text}"))
    yield "what is no key", bearing(key, ("X-Api-Key", text))
    yield "no key", [("X-Api-Key", "sk-somebody-elses-token")]
    yield "what is no key", [("Authorization", f"Basic {b64encode(text.encode()).decode()}")]


def test_whoever_has_no_valid_key_is_told_the_same(
    app: FastAPI, client: TestClient, key: KeyText, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = set()
    for reason, headers in _refused(app, key):
        caplog.clear()
        named = [*headers, ("X-Request-ID", "r")]
        answer = client.get("/v1/threads", headers=named)
        problem_in(answer, 401, "not-authenticated", "Authorization: Bearer KEY")
        assert answer.headers["www-authenticate"] == "Bearer"
        told.add(answer.text)
        assert reason in caplog.text
        assert key.secret not in caplog.text
    assert len(told) == 1
    assert client.get("/v1/threads", headers=bearing(key)).status_code == 200


def test_the_scheme_is_written_in_any_case(client: TestClient, key: KeyText) -> None:
    header = ("Authorization", f"bearer  {key.reveal()}")
    assert client.get("/v1/threads", headers=[header]).status_code == 200


def test_clients_that_know_no_bearer_send_a_key_as_theirs(client: TestClient, key: KeyText) -> None:
    text = key.reveal()
    pair = b64encode(f"pk-any:{text}".encode()).decode()
    for header in (("X-Api-Key", text), ("Authorization", f"Basic {pair}")):
        assert client.get("/v1/threads", headers=[header]).status_code == 200


def test_a_key_stands_beside_that_of_a_provider(client: TestClient, key: KeyText) -> None:
    text = key.reveal()
    beside = [("Authorization", "Bearer sk-of-a-provider"), ("X-Api-Key", "sk-another")]
    for own, status in (([text], 200), ([text, text], 401), (["agentlog_x"], 401), ([""], 401)):
        headers = [*beside, *(("X-Agentlog-Key", value) for value in own)]
        assert client.get("/v1/threads", headers=headers).status_code == status


def test_a_key_ends_by_the_clock_also_while_it_is_remembered(
    app: FastAPI, client: TestClient
) -> None:
    now = [datetime(2026, 11, 21, tzinfo=UTC)]
    keys_of(app).keys.clock = lambda: now[0]
    key = make_key(app, expires_at=now[0] + timedelta(seconds=1))
    assert client.get("/v1/threads", headers=bearing(key)).status_code == 200
    now[0] += timedelta(seconds=1)
    assert client.get("/v1/threads", headers=bearing(key)).status_code == 401


def test_a_key_of_ours_that_is_none_is_refused_also_where_none_is_needed(
    client: TestClient,
) -> None:
    """Whoever sends one believes to be known; other clients send tokens of their own to anybody."""
    unknown = KeyText("a" * 12, "0" * 64)
    assert client.get("/v1/threads", headers=bearing(unknown)).status_code == 401
    assert client.get("/v1/threads", headers=bearing("sk-other")).status_code == 200


KEY_IN_URL = (
    "/v1/threads?key={key}",
    "/v1/threads?filter={key}",
    "/v1/threads?filter=agentlog%5F{rest}",
    "/v1/threads/{key}",
    "/v1/threads?access_token=x",
    "/v1/threads?limit=1&api_key=x",
    "/nowhere/{key}",
    "/healthz?x={key}",
    "/readyz?x=agentlog%5F{rest}",
    "/metrics?x={key}",
    "/openapi.json?api_key=x",
)


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_a_key_in_the_query_is_refused_on_every_route(
    client: TestClient, key: KeyText, name: str
) -> None:
    method, template = name.split()
    path = re.sub(r"\{\w+\}", "t", template)
    answer = client.request(method, f"{path}?x={key.reveal()}", headers=bearing(key))
    detail_in(answer, 400, "key-in-url")


@pytest.mark.parametrize("sent", [True, False])
def test_a_key_in_a_url_is_refused_and_not_repeated(
    client: TestClient, key: KeyText, *, sent: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="agentlog")
    text = key.reveal()
    for url in KEY_IN_URL:
        asked = url.format(key=text, rest=text.removeprefix("agentlog_"))
        answer = client.get(asked, headers=bearing(key) if sent else ())
        problem_in(answer, 400, "key-in-url", "agentlog keys revoke ID")
        assert key.secret not in answer.text
        assert key.secret not in caplog.text


def test_what_only_looks_a_little_like_a_key_is_no_key(client: TestClient, key: KeyText) -> None:
    asked = f"/v1/threads?filter=agentlog_{key.key_id}"
    assert client.get(asked, headers=bearing(key)).status_code == 200


def test_a_route_takes_its_scope_and_no_other(app: FastAPI, client: TestClient) -> None:
    single = [(scope,) for scope in SCOPES]
    both = {tuple(route.scopes) for route in ROUTES if len(route.scopes) > 1}
    made = {scopes: bearing(make_key(app, *scopes)) for scopes in (*single, *both)}
    for route in ROUTES:
        if route.name in {"POST /v1/keys", "DELETE /v1/keys/{key_id}"}:
            continue  # below
        path = route.template.replace(":path}", "}").format_map(_Anything())
        for scopes, headers in made.items():
            query = _finite(route.template)
            answer = client.request(route.method, path, headers=headers, params=query)
            has = {*scopes, *(("metrics",) if "admin" in scopes else ())}
            missing = [scope for scope in route.scopes if scope not in has]
            if missing:
                told = f"the scope '{missing[0]}'"
                assert "--scope" in detail_in(answer, 403, "not-allowed", told)
                challenge = f'Bearer error="insufficient_scope", scope="{missing[0]}"'
                assert answer.headers["www-authenticate"] == challenge
            else:
                assert answer.status_code not in {401, 403}, (route.name, scopes)


class _Anything(dict[str, str]):
    """What stands for each parameter of a path."""

    def __missing__(self, name: str) -> str:
        return {"view": "kernel", "digest": "0" * 64}.get(name, "x")


def _finite(template: str) -> dict[str, str]:
    return {"follow": "false"} if template.endswith("/events") else {}


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != "admin"])
def test_only_admin_makes_and_revokes_keys(app: FastAPI, client: TestClient, scope: Scope) -> None:
    key = make_key(app, scope)
    asked: dict[str, Any] = {"name": "x", "scopes": ["admin"]}
    assert client.post("/v1/keys", json=asked, headers=bearing(key)).status_code == 403
    answer = client.delete(f"/v1/keys/{key.key_id}", headers=bearing(key))
    assert answer.status_code == 403


def test_a_key_of_a_scraper_reads_metrics_and_nothing_else(
    app: FastAPI, client: TestClient
) -> None:
    scraper = bearing(make_key(app, "metrics"))
    assert client.get("/metrics", headers=scraper).status_code == 200
    asked = {"name": "x", "scopes": ["admin"]}
    assert client.post("/v1/keys", json=asked, headers=scraper).status_code == 403
    assert client.get("/v1/threads", headers=scraper).status_code == 403


def test_every_operation_of_the_document_says_its_scope(app: FastAPI) -> None:
    described = {
        f"{method.upper()} {path}": operation
        for path, item in app.openapi()["paths"].items()
        for method, operation in item.items()
    }
    assert described.keys() == {route.name for route in ROUTES if route.in_document}
    for name, operation in described.items():
        free = NEEDS[name] == "nothing"
        assert free or operation["description"].endswith(f"Scope: `{NEEDS[name]}`.")
        assert bool(operation["security"]) is not free


def test_the_first_page_takes_no_key(app: FastAPI, client: TestClient) -> None:
    make_key(app, "read")
    assert client.get("/").status_code == 200


@pytest.mark.parametrize(
    "path", ["/threads/t", "/compare", "/docs", "/openapi.json", "/docs/swagger-ui.css"]
)
def test_what_is_the_same_for_everybody_takes_no_key(
    app: FastAPI, client: TestClient, path: str
) -> None:
    make_key(app, "append")
    assert client.get(path).status_code == 200


def test_a_route_that_nobody_gave_a_scope_is_refused_before_there_is_a_service() -> None:
    router, around = Router(), Router()
    with pytest.raises(LookupError, match="GET /secrets: say which scope"):
        router.add("GET /secrets", cast("Scope", "reed"))
    router.framework.add_api_route("/secrets", lambda: None)
    around.framework.include_router(router.framework)
    for unknown in (router, around):
        with pytest.raises(LookupError, match="without a scope"):
            Permissions().know(unknown)


def test_what_is_no_route_is_not_there_for_those_who_are_known(
    client: TestClient, key: KeyText
) -> None:
    for path in ("/v1/nowhere", "/v1/threads/t/messages/x/y", "/redoc"):
        assert client.get(path).status_code == 401
        assert client.get(path, headers=bearing(key)).status_code == 404
    assert client.put("/v1/threads", headers=bearing(key)).status_code == 405
    assert client.options("/v1/threads").status_code == 401


def test_the_document_says_how_to_be_known(app: FastAPI) -> None:
    document = app.openapi()
    (scheme,) = document["components"]["securitySchemes"].items()
    assert (scheme[1]["type"], scheme[1]["scheme"]) == ("http", "bearer")
    for path, item in document["paths"].items():
        for operation in item.values():
            free = path in {"/healthz", "/readyz"}
            assert operation["security"] == ([] if free else [{scheme[0]: []}])
            assert ({"401", "403"} <= set(operation["responses"])) is not free


LOOPBACK = ["127.0.0.1:8080", "127.9.9.9", "localhost", "LOCALHOST:1", "[::1]:8080", "a.localhost"]
ELSEWHERE = [
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "10.0.0.1",
    "x:y:z",
]


def _asking(database: Database, threads: Threads, anonymous: AnonymousFrom) -> Iterator[TestClient]:
    app = app_over(database, threads, anonymous=anonymous)
    with TestClient(app) as client:
        yield client
    end_following(app)


@pytest.fixture
def local(database: Database, threads: Threads) -> Iterator[TestClient]:
    """A client of a service that listens on loopback."""
    yield from _asking(database, threads, "this machine")


def test_this_machine_is_answered_by_its_own_names(local: TestClient) -> None:
    for host in LOOPBACK:
        assert local.get("/v1/threads", headers={"Host": host}).status_code == 200, host


def test_a_name_that_was_turned_to_this_machine_is_refused(local: TestClient) -> None:
    for host in ELSEWHERE:
        answer = local.get("/v1/threads", headers={"Host": host})
        problem_in(answer, 403, "foreign-site", "agentlog keys create", "AGENTLOG_ALLOWED_HOSTS")
        assert local.get("/healthz", headers={"Host": host}).status_code == 200


def test_whom_a_proxy_serves_is_not_this_machine(local: TestClient) -> None:
    headers = {"Host": "localhost", "X-Forwarded-For": "203.0.113.9"}
    problem_in(local.get("/v1/threads", headers=headers), 403, "foreign-site")


def test_pages_of_other_sites_do_not_write_by_somebodys_browser(
    local: TestClient, threads: Threads
) -> None:
    """A form with text/plain needs no leave of ours: only the answer would be kept from it."""
    for origin in ("https://evil.example", "null", "http://localhost:3000", "http://[", ""):
        answer = local.post(
            "/v1/threads/t/messages",
            headers={"Host": "localhost:8080", "Origin": origin, "Content-Type": "text/plain"},
            content=b'{"type":"reply","text":"gotcha"}',
        )
        problem_in(answer, 403, "foreign-site", "other sites")
    assert threads.log() == []


def test_our_own_pages_may_ask(local: TestClient) -> None:
    headers = {"Host": "localhost:8080", "Origin": "http://localhost:8080"}
    assert local.get("/v1/threads", headers=headers).status_code == 200


def test_where_everybody_may_ask_another_name_is_refused_and_an_address_is_not(
    client: TestClient, threads: Threads
) -> None:
    for host in ("evil.example:8080", "127.0.0.1.evil.example", "x:y:z", ""):
        headers = {"Host": host, "Origin": f"http://{host}"}
        problem_in(client.get("/v1/threads", headers={"Host": host}), 403, "foreign-site")
        made = {"name": "evil", "scopes": ["admin"]}
        assert client.post("/v1/keys", json=made, headers=headers).status_code == 403
    assert threads.log() == []
    for host in (*LOOPBACK, "10.0.0.1:8080", "[fd00::1]", "Logs.Example:80"):
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert client.get("/v1/threads", headers=headers).status_code == 200, host


def test_where_everybody_may_ask_pages_of_other_sites_still_may_not(client: TestClient) -> None:
    headers = {"Host": "logs.example", "Origin": "https://evil.example"}
    problem_in(client.get("/v1/threads", headers=headers), 403, "foreign-site")
    assert client.get("/v1/threads", headers={"Host": "logs.example"}).status_code == 200


def test_whoever_has_a_key_asks_from_anywhere(database: Database, threads: Threads) -> None:
    for client in _asking(database, threads, "nowhere"):
        assert client.get("/v1/threads").status_code == 401
        assert isinstance(client.app, FastAPI)
        key = make_key(client.app)
        headers = bearing(key, ("Host", "logs.example"), ("Origin", "https://ui.example"))
        assert client.get("/v1/threads", headers=headers).status_code == 200


def test_without_its_database_a_service_lets_nobody_in_but_tells_what_it_knows(
    database_url: str,
) -> None:
    with Relay(database_url) as relay, Database(relay.url, pool_size=2, wait_seconds=0.2) as cut:
        app = app_over(cut, threads_over(cut))
        now = [0.0]
        keys_of(app)._ticks = lambda: now[0]
        with TestClient(app) as client:
            key = make_key(app, "admin", "read")
            assert client.get("/metrics", headers=bearing(key)).status_code == 200
            relay.cut()
            now[0] = 3600.0
            assert client.get("/v1/analytics", headers=bearing(key)).status_code == 503
            assert client.get("/metrics", headers=bearing(key)).status_code == 200
            unknown = KeyText("a" * 12, "0" * 64)
            assert client.get("/metrics", headers=bearing(unknown)).status_code == 503
            assert client.get("/healthz").status_code == 200
        end_following(app)


def test_a_database_that_is_slow_to_look_keys_up_holds_nobody_up_for_long(
    app: FastAPI, client: TestClient, database: Database
) -> None:
    now = [0.0]
    keys_of(app)._ticks = lambda: now[0]
    key = make_key(app, "admin", "read")
    assert client.get("/metrics", headers=bearing(key)).status_code == 200
    now[0] = 3600.0
    with database.connection() as holder, holder.transaction():
        holder.execute("LOCK TABLE agentlog.keys IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        assert client.get("/metrics", headers=bearing(key)).status_code == 200
        assert time.monotonic() - began < 2  # which a look-up may take
        assert client.get("/metrics").status_code == 401
        began = time.monotonic()
        answer = client.get("/v1/threads", headers=bearing(key))
        problem_in(answer, 503, "database-unavailable", "no key was looked up within 2 s")
        assert time.monotonic() - began < WAIT_SECONDS
