"""A real nginx, as deploy/nginx configures it: who signed in is on record, whom a client names not.

In place of oauth2-proxy stands a server that answers as it does: 202 and the user for a known
cookie, else 401.
"""

import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import create_default_context
from typing import Any

import httpx2
import pytest
from typing_extensions import override

from tests.clients import TLS
from tests.command_line import agentlog, started
from tests.databases import short_folder
from tests.reliability.proxy import make_certificate, needs, whole_nginx
from tests.waiting import until

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx" / "sign-in.conf"
USERS = {"_oauth2_proxy=1": "ada@example.org", "_oauth2_proxy=2": "Åsa Öberg"}
USER_HEADER = "X-Auth-Request-Email"

pytestmark = [needs("nginx"), pytest.mark.slow]


class SignIn(BaseHTTPRequestHandler):
    """Answers as oauth2-proxy does."""

    def do_GET(self) -> None:
        user = USERS.get(self.headers.get("Cookie", ""))
        if self.path == "/oauth2/auth":
            self.send_response(401 if user is None else 202)
            if user is not None:
                self.send_header(USER_HEADER, user.encode().decode("latin-1"))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(403)
        self.send_header("Content-Length", "7")
        self.end_headers()
        self.wfile.write(b"sign in")

    @override
    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def signing_in() -> Iterator[int]:
    """Run it; yield its port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), SignIn) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@contextmanager
def nginx(folder: Path, *, service: int, sign_in: int, key: str) -> Iterator[Path]:
    """Run nginx with our configuration; yield its socket."""
    socket = folder / "nginx.socket"
    make_certificate(folder, "log.example", "agents.log.example")
    (folder / "agentlog-key.conf").write_text(f'set $agentlog_key "{key}";')
    ours = CONFIGURATION.read_text()
    for text, here in (
        ("listen 443 ssl;", f"listen unix:{socket} ssl;"),
        ("/etc/nginx/log.example", str(folder / "log.example")),
        ("127.0.0.1:8080", f"127.0.0.1:{service}"),
        ("127.0.0.1:4180", f"127.0.0.1:{sign_in}"),
        ("/etc/nginx/agentlog-key.conf", str(folder / "agentlog-key.conf")),
    ):
        assert text in ours
        ours = ours.replace(text, here)
    configuration = folder / "nginx.conf"
    configuration.write_text(whole_nginx(folder, ours))
    command = ("nginx", "-e", str(folder / "log"), "-p", str(folder), "-c", str(configuration))
    with subprocess.Popen(command, stdin=subprocess.DEVNULL) as process:
        try:
            until(lambda: socket.exists() or process.poll() is not None)
            assert process.poll() is None, (folder / "log").read_text()
            yield socket
        finally:
            process.terminate()


@dataclass(frozen=True, slots=True)
class Site:
    """The service behind nginx, and its own address."""

    people: httpx2.Client
    agents: httpx2.Client
    service: str

    def authors(self, headers: dict[str, str]) -> list[Any]:
        """Return who appended the events of the log."""
        page = self.agents.get("/v1/log", headers=headers).json()
        return [event["metadata"].get("appendedBy") for event in page["items"]]


@pytest.fixture
def site(database_url: str) -> Iterator[tuple[Site, str]]:
    """A site, and the key of people."""
    made = agentlog(
        *("keys", "create", "--name", "people", "--scope", "append", "--scope", "read"),
        url=database_url,
    )
    key = made.out.strip()
    settings = {"FORWARDED_ALLOW_IPS": "127.0.0.1", "AGENTLOG_USER_HEADER": USER_HEADER}
    with (
        ExitStack() as clients,
        short_folder() as folder,
        started("serve", "--port", "0", url=database_url, **settings) as process,
        signing_in() as sign_in,
    ):
        assert process.stdout is not None
        address = re.search(r"http://\S+?:(\d+)(?=,)", process.stdout.readline())
        assert address is not None
        with nginx(folder, service=int(address[1]), sign_in=sign_in, key=key) as socket:

            def client(host: str) -> httpx2.Client:
                trusted = create_default_context(cafile=folder / "log.example.pem")
                transport = httpx2.HTTPTransport(uds=str(socket), verify=trusted)
                return clients.enter_context(
                    httpx2.Client(base_url=f"https://{host}", transport=transport, timeout=60)
                )

            yield Site(client("log.example"), client("agents.log.example"), address[0]), key


def test_who_signed_in_is_on_record_and_whom_others_name_is_not(site: tuple[Site, str]) -> None:
    here, key = site
    path, asked = "/v1/threads/t/messages", {"type": "tick"}
    forged = {USER_HEADER: "eve@example.org"}
    refused = here.people.post(path, json=asked, headers=forged)
    assert (refused.status_code, refused.text) == (403, "sign in")

    approval = {"type": "approval_response", "callId": "c", "approved": True}
    here.people.post(
        "/v1/threads",
        json={"threadId": "t", "policy": "record"},
        headers={"Cookie": "_oauth2_proxy=2"},
    ).raise_for_status()
    for more in ({}, forged, {"Authorization": "Bearer x", "X-Agentlog-Key": "y"}):
        headers = {"Cookie": "_oauth2_proxy=1", "Origin": "https://log.example", **more}
        appended = here.people.post(path, json=approval, headers=headers)
        assert appended.status_code == 201, appended.text
    of_another = {"Cookie": "_oauth2_proxy=1", "Origin": "https://evil.example"}
    assert here.people.post(path, json=asked, headers=of_another).status_code == 403
    caller = here.people.get("/v1/keys/self", headers={"Cookie": "_oauth2_proxy=1"}).json()
    assert (caller["user"], caller["name"]) == ("ada@example.org", "people")

    bearing = {"Authorization": f"Bearer {key}"}
    here.agents.post(path, json=asked, headers={**bearing, **forged}).raise_for_status()
    transport = httpx2.HTTPTransport(local_address="127.0.0.2", verify=TLS)
    with httpx2.Client(base_url=here.service, transport=transport) as stranger:
        stranger.post(path, json=asked, headers={**bearing, **forged}).raise_for_status()
    key_id = key.split("_")[1]
    assert here.authors(bearing) == ["Åsa Öberg", *["ada@example.org"] * 3, key_id, key_id]


def test_the_page_and_a_stream_come_through(site: tuple[Site, str]) -> None:
    here, key = site
    signed_in = {"Cookie": "_oauth2_proxy=1"}
    page = here.people.get("/", headers={**signed_in, "Accept": "text/html"})
    assert "<html" in page.text
    with here.people.stream("GET", "/v1/log/events", headers=signed_in) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        bearing = {"Authorization": f"Bearer {key}"}
        lines = b'{"threadId":"t","messages":[{"type":"tick"}]}\n' * 3
        here.agents.post("/v1/log", content=lines, headers=bearing).raise_for_status()
        seen = 0
        for line in stream.iter_lines():
            seen += line.startswith("data:")
            if seen == 3:
                break
