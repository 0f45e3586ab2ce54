"""Whatever is sent over HTTP: no 5xx, no hang, a problem that says why, and nothing written."""

import json
import socket
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import urlsplit

import pytest
import schemathesis
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import APIOperation, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import content_type_conformance

from agentlog.domain.access import SCOPES
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.databases import new_database
from tests.infrastructure.appends import STORY, fetch
from tests.infrastructure.readmodels.tables import catch_up
from tests.reliability.hostile import Answer, ask, drawn
from tests.reliability.outcomes import Tried
from tests.reliability.service import ServiceProcess, own_service
from tests.waiting import WAIT_SECONDS

METHODS = {"get", "post", "put", "delete", "patch", "head"}
CHUNKED = b"POST /v1/log HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n%s\r\n"


@dataclass(frozen=True)
class Running:
    """A service, the document of what it is to be asked, and what goes with each request."""

    service: ServiceProcess
    document: dict[str, Any]
    headers: dict[str, str]

    @property
    def address(self) -> str:
        """As in http://127.0.0.1:8080."""
        return self.service.address


_PATIENCE_SECONDS = 0.1
"""How long a server is listened to that may as well wait for the rest of a request."""

CLIENTS_OWN = {501, 505}
"""Of the 5xx, those that only say what a request is: RFC 9110, 9.1 and 15.6.6."""

PASSING = {"not-yet-built", "projection-behind", "too-many-queries"}
"""What may be asked for again a little later, and says so."""


def _lines(_: schemathesis.SerializationContext, value: Any) -> bytes:
    return str(value).encode(errors="replace")


schemathesis.serializer("application/x-ndjson")(_lines)  # it knows none for lines


@pytest.fixture(
    scope="module", params=["with a key", pytest.param("without a key", marks=pytest.mark.slow)]
)
def caller(request: pytest.FixtureRequest) -> str:
    """Who asks; each asks a service of his own, which the first key closes to the other."""
    return str(request.param)


@pytest.fixture(scope="module")
def log(
    caller: str,  # noqa: ARG001 - a log for each
    server_url: str,
    template_database: str,
) -> Iterator[Database]:
    """The database of the service, to look behind the curtain."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as opened,
    ):
        yield opened


@pytest.fixture(scope="module")
def running(
    caller: str, log: Database, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A service that has a history and read models; at the end it has complained of nothing."""
    path = tmp_path_factory.mktemp("signing") / "key.pem"
    key = Ed25519PrivateKey.generate()
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    path.chmod(0o600)
    settings = {"AGENTLOG_PROJECTIONS": "off", "AGENTLOG_SIGNING_KEY": str(path)}
    with own_service(log._conninfo, **settings) as service:
        service.post("/v1/threads", {"threadId": "support-42", "policy": "record"})
        service.post("/v1/threads/support-42/messages", STORY)
        for model in READ_MODELS.values():
            catch_up(log, model)
        document = service.get("/openapi.json")
        headers: dict[str, str] = {}
        if caller == "with a key":
            made = service.post("/v1/keys", {"name": "all", "scopes": list(SCOPES)})
            headers["Authorization"] = f"Bearer {made['key']}"
        else:  # the first key would shut out who has none
            del document["paths"]["/v1/keys"]["post"]
        yield Running(service, document, headers)
        assert service.get("/healthz")
        assert complaints(service) == []


def complaints(service: ServiceProcess) -> list[str]:
    """Return what the service logged as a failure of its own."""
    return [line for line in service.said().splitlines() if "Traceback" in line]


def written(database: Database) -> Any:
    """Return what shows that anything was written."""
    return fetch(
        database,
        "SELECT (SELECT position FROM agentlog.counter), "
        "(SELECT count(*) FROM agentlog.events), (SELECT count(*) FROM agentlog.threads), "
        "(SELECT count(*) FROM agentlog.blobs), (SELECT count(*) FROM agentlog.checkpoints)",
    )


def check_answer(answer: Answer, request: object) -> None:
    """Check that an answer is no failure, and that a refusal is a problem."""
    if answer.status == 503:
        name = json.loads(answer.body)["type"].rpartition(":")[2]
        assert name in PASSING, (request, answer.body)
        assert "Retry-After" in answer.headers
        return
    assert answer.status < 500 or answer.status in CLIENTS_OWN, (request, answer.body[:2000])
    if answer.status >= 400 and answer.body:
        assert answer.kind == "application/problem+json", (request, answer)
        problem = json.loads(answer.body)
        assert problem["status"] == answer.status
        assert problem["type"].startswith("urn:agentlog:problem:")
        assert problem["title"]
        assert problem["detail"]


@pytest.mark.timeout(3600)
def test_no_hostile_request_brings_the_service_down(
    running: Running,
    log: Database,
    soak: bool,  # noqa: FBT001
    tried: Tried,
) -> None:
    count = 600 if soak else 4
    row = tried(
        "hostile requests to every route",
        made=f"{count} by seed of each operation, over a socket: paths, numbers, moments, cursors, "
        "headers, media types and bodies that nobody should send",
        holds="no 5xx but 501 and 505, no hang, refusals are RFC 9457 problems and write nothing",
    )
    seen: Counter[int | str] = Counter()
    before = written(log)
    for path, item in running.document["paths"].items():
        for method in METHODS & set(item):
            for seed in range(count):
                random = Random(f"{method} {path} {seed}")  # noqa: S311 - to be drawn again
                request = drawn(random, method.upper(), path, item[method])
                answer = ask(running.address, request, more=running.headers)
                seen["closed" if answer is None else answer.status] += 1
                after = written(log)
                if answer is not None:
                    check_answer(answer, request)
                    assert answer.status < 400 or after == before, (request, answer.body)
                before = after
    row.came = f"{seen.total()} requests: " + ", ".join(
        f"{status} {number} times" for status, number in sorted(seen.items(), key=str)
    )
    assert seen[200]
    assert seen[422]


BROKEN: dict[str, bytes] = {
    "nothing": b"",
    "half a line": b"GET /v1/thr",
    "half the headers": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nAcc",
    "no HTTP": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "another version": b"GET /healthz HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    "no host": b"GET /healthz HTTP/1.1\r\n\r\n",
    "bare line ends": b"GET /healthz HTTP/1.1\nHost: 127.0.0.1\n\n",
    "a NUL in a header": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nA: \x00\r\n\r\n",
    "a space before the colon": b"GET /healthz HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
    "folded headers": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nA: b\r\n c\r\n\r\n",
    "2,000 headers": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    + b"A: b\r\n" * 2_000
    + b"\r\n",
    "a header of 1 MiB": b"GET /healthz HTTP/1.1\r\nA: " + b"b" * 2**20 + b"\r\n\r\n",
    "a URL of 1 MiB": b"GET /" + b"a" * 2**20 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "headers without end": b"GET /healthz HTTP/1.1\r\n" + b"A: b\r\n" * 200_000,
    "two lengths": b"POST /v1/log HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a negative length": b"POST /v1/log HTTP/1.1\r\nContent-Length: -1\r\n\r\n{}",
    "an endless length": b"POST /v1/log HTTP/1.1\r\nContent-Length: " + b"9" * 40 + b"\r\n\r\n{}",
    "a length that is none": b"POST /v1/log HTTP/1.1\r\nContent-Length: x\r\n\r\n{}",
    "half a body": b"POST /v1/threads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99\r\n\r\n{",
    "length and chunks": CHUNKED % b"Content-Length: 5\r\n" + b"0\r\n\r\n",
    "a chunk of no size": CHUNKED % b"" + b"zz\r\nabc\r\n0\r\n\r\n",
    "a chunk of a negative size": CHUNKED % b"" + b"-1\r\nabc\r\n0\r\n\r\n",
    "a chunk of an endless size": CHUNKED % b"" + b"f" * 40 + b"\r\nabc\r\n0\r\n\r\n",
    "a chunk that is cut off": CHUNKED % b"" + b'ff\r\n{"type":',
    "a chunk with a long extension": CHUNKED % b"" + b"1;" + b"a" * 200_000 + b"\r\n1\r\n0\r\n\r\n",
    "trailers": CHUNKED % b"" + b"0\r\nA: b\r\nHost: y\r\n\r\n",
    "another request in the body": (
        b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 40\r\n\r\n"
        b"POST /v1/threads HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    ),
    "1,000 requests at once": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 1_000,
}


def test_what_is_hardly_http_leaves_a_service_that_answers_the_next(
    running: Running, log: Database, tried: Tried
) -> None:
    row = tried(
        "what is hardly HTTP",
        made=f"{len(BROKEN)} kinds over a socket: half requests, chunks, lengths, floods",
        holds="the next request is answered, nothing is written",
    )
    before = written(log)
    statuses: Counter[str] = Counter()
    for name, wire in BROKEN.items():
        said = tell(running.address, wire)
        status = said.split(b" ", 2)[1].decode() if said.startswith(b"HTTP/1.1 ") else "no answer"
        is_fine = status < "500" or status == "no answer" or int(status) in CLIENTS_OWN
        assert is_fine, (name, said[:500])
        statuses[status] += 1
        assert running.service.get("/healthz") is not None
    assert written(log) == before
    row.came = ", ".join(f"{status} {number} times" for status, number in sorted(statuses.items()))


def tell(address: str, wire: bytes) -> bytes:
    """Send bytes and return what comes, until the server closes or waits for the rest."""
    parts = urlsplit(address)
    assert parts.hostname is not None
    said = b""
    with socket.create_connection((parts.hostname, parts.port or 80), WAIT_SECONDS) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # before it has all of it
            connection.sendall(wire)
        connection.settimeout(_PATIENCE_SECONDS)
        with suppress(ConnectionResetError, TimeoutError):
            while chunk := connection.recv(2**16):
                said += chunk
    return said


@pytest.mark.slow
# the client's pool does, in threads of its own
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", list(GenerationMode), ids=lambda mode: str(mode.value))
def test_schemathesis_finds_no_failure_over_the_wire(
    running: Running,
    mode: GenerationMode,
    soak: bool,  # noqa: FBT001
    tried: Tried,
) -> None:
    count = 150 if soak else 1
    row = tried(
        f"schemathesis, {mode.value} cases",
        made=f"{count} cases of every operation against a service process",
        holds="no 5xx, no hang, media types as documented",
    )
    seen: Counter[int] = Counter()

    def try_out(operation: APIOperation[Any, Any, Any, Any]) -> None:
        @settings(
            max_examples=count,
            derandomize=not soak,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def one(case: schemathesis.Case[Any]) -> None:
            query = case.query = {**(case.query or {})}
            if operation.tags == ["streams"]:  # one that goes on, or waits as long as it was
                query["follow"] = "false"
                query.pop("speed", None)
            query.pop("wait", None)
            response = case.call(headers=running.headers, timeout=WAIT_SECONDS)
            seen[response.status_code] += 1
            if response.status_code != 503:
                case.validate_response(
                    response, checks=[not_a_server_error, content_type_conformance]
                )
            else:
                assert response.json()["type"].rpartition(":")[2] in PASSING, response.text

        one()

    schema = schemathesis.openapi.from_dict(running.document)
    schema.config.update(base_url=running.address)
    for offered in schema.get_all_operations():
        assert isinstance(offered, Ok)
        operation = offered.ok()
        can_be_wrong = bool([*operation.iter_parameters()] or operation.body)
        if mode is GenerationMode.POSITIVE or can_be_wrong:
            try_out(operation)
    row.came = f"{seen.total()} requests: " + ", ".join(
        f"{status} {number} times" for status, number in sorted(seen.items())
    )
    assert seen[422]
