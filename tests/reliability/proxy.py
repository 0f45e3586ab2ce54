"""nginx before cells, as deploy/proxy configures it."""

import os
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.databases import short_folder
from tests.waiting import until

_CONFIGURATION = Path(__file__).parents[2] / "deploy" / "proxy" / "nginx.conf"
HOST = "log.example"
_MOVED = "k3jx5tqhz2ab"
"""The key in the configuration whose tenant moved to b."""


def needs(program: str) -> pytest.MarkDecorator:
    """Return the mark of tests that drive a program."""
    reason = f"Debian's package `{program}` is not here; .ci/run fetches it"
    return pytest.mark.skipif(shutil.which(program) is None, reason=reason)


def make_certificate(folder: Path, *names: str) -> Path:
    """Make a key and a certificate of names and 127.0.0.1 that it signs; return the certificate."""
    certificate = folder / f"{names[0]}.pem"
    key = certificate.with_suffix(".key")
    of = ",".join([*(f"DNS:{name}" for name in names), "IP:127.0.0.1"])
    made = ("-x509", "-newkey", "ed25519", "-nodes", "-days", "2", "-subj", f"/CN={names[0]}")
    files = ("-keyout", key, "-out", certificate, "-addext", f"subjectAltName={of}")
    subprocess.run(["openssl", "req", *made, *files], check=True, capture_output=True)
    return certificate


def whole_nginx(folder: Path, included: str) -> str:
    """Return a configuration of nginx that writes to a folder alone."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    account = "user root;" if os.geteuid() == 0 else ""
    return (
        f"{account} daemon off; worker_processes 1; error_log {folder}/log; pid {folder}/pid;"
        f"events {{}} http {{ access_log off; {temporary}\n{included}\n}}"
    )


class Proxy:
    """A proxy before the cells a and b; each has a service, and may have a spare."""

    def __init__(self, folder: Path, cells: Mapping[str, Sequence[str]]) -> None:
        assert cells.keys() == {"a", "b"}  # as in the configuration
        self._folder, self._cells = folder, cells
        self._process: subprocess.Popen[bytes]
        self._certificate = make_certificate(folder, HOST)
        self.tls = ssl.create_default_context(cafile=self._certificate)
        """For `verify` of clients."""
        with socket.socket() as free, self._certificate.open("a") as both:
            free.bind(("127.0.0.1", 0))
            self._listen = f"127.0.0.1:{free.getsockname()[1]}"
            both.write(self._certificate.with_suffix(".key").read_text())
        self.address = f"https://{self._listen}"
        self.file = folder / _CONFIGURATION.name
        self.configure()

    def configure(self, moved_to_b: Collection[str] = (), *, answer_seconds: int = 75) -> None:
        """Write its configuration.

        `moved_to_b` are ids of keys of a; `answer_seconds` is how long a service may say nothing.
        """
        text = _CONFIGURATION.read_text()
        changes = [
            ("listen 443 ssl", f"listen {self._listen} ssl"),
            ("/etc/agentlog", str(self._folder)),
            (" 75s", f" {answer_seconds}s"),
        ]
        for number, cell in enumerate(("a", "b"), 1):
            services = [address.removeprefix("http://") for address in self._cells[cell]]
            changes += [
                (f"10.0.{number}.1:8080", services[0]),
                (f"10.0.{number}.2:8080", services[-1]),
            ]
        (line,) = (line for line in text.splitlines(keepends=True) if _MOVED in line)
        changes += [(line, "".join(line.replace(_MOVED, key_id) for key_id in moved_to_b))]
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        self.file.write_text(whole_nginx(self._folder, text))

    def command(self, *, check: bool = False) -> list[str]:
        """Return the command line that runs it, or that only checks its configuration."""
        file, folder = str(self.file), str(self._folder)
        log = f"{folder}/log"
        return ["nginx", *(["-t"] if check else []), "-e", log, "-p", folder, "-c", file]

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run it; it does not outlive the block."""
        with subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, start_new_session=True
        ) as process:
            self._process = process
            try:
                until(lambda: process.poll() is not None or self._answers())
                assert process.poll() is None
                yield
            finally:
                process.send_signal(signal.SIGTERM)  # it ends its workers at once

    def kill(self) -> None:
        """Kill it, with its workers."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def reload(self) -> None:
        """Have nginx read its configuration again, soon."""
        self._process.send_signal(signal.SIGHUP)

    def _answers(self) -> bool:
        try:
            httpx2.get(f"{self.address}/healthz", verify=self.tls, trust_env=False)
        except httpx2.TransportError:
            return False
        return True


@contextmanager
def proxy_for(cells: Mapping[str, Sequence[str]]) -> Iterator[Proxy]:
    """Run a proxy before cells: to the name of each, addresses of its service and its spare."""
    with short_folder() as folder:
        proxy = Proxy(folder, cells)
        with proxy.running():
            yield proxy
