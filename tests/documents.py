"""The documents, and their examples as a reader of the demo runs them."""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agentlog.infrastructure.postgres.database import Database
from tests.clients import free_port
from tests.databases import new_database
from tests.infrastructure.analysts.logins import analyst_url
from tests.providers.script import Answer, Call
from tests.providers.server import ScriptedProvider
from tests.waiting import WAIT_SECONDS

ROOT = Path(__file__).parents[1]
PROGRAMS = Path(sys.executable).parent
DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "extensions").rglob("*.md")),
]
NOT_ON_THE_DEMO = "back-up.md"
"""Its commands run in test_docs_operations.py."""
OF_ADAPTERS = {"agent-sdks.md", "langchain.md", "langgraph.md"}
"""Their examples run beside the core's, as those of extensions do."""
MAKES_A_KEY = "secure.md"
"""It comes last: after the first key the demo answers no request without one."""
PRINTED_ADDRESS = "http://127.0.0.1:8080"
GATEWAY_PORT = "8093"
"""Of the gateway that the demo knows of."""
MODELS = {
    "gpt-4o-mini": Answer("I will look.", [Call("get_order", {"order_id": 1042})]),
    "claude-sonnet-4-5": Answer("Which order?"),
}
"""What the models say that the documents ask."""

_PORT = re.compile(r"(?:127\.0\.0\.1:|--port )(\d{4,5})\b")
_BLOCK = re.compile(
    r"^```(?P<language>sh|python)\n(?P<code>.*?)^```\n(?:^```(?:json|text)\n(?P<output>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def path_of(document: Path) -> str:
    """Return a document's path in the checkout."""
    return str(document.relative_to(ROOT))


def with_examples(*, beside: bool) -> list[Path]:
    """Return the documents whose examples run: the core's, or those beside it."""
    documents = [
        document
        for document in DOCUMENTS
        if _BLOCK.search(document.read_text())
        and document.name != NOT_ON_THE_DEMO
        and (document.is_relative_to(ROOT / "extensions") or document.name in OF_ADAPTERS) == beside
    ]
    return sorted(documents, key=lambda document: document.name == MAKES_A_KEY)


@contextmanager
def demo(server_url: str, template: str, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the environment of a reader who has run `make demo`: address, database, keys."""
    with (
        new_database(server_url, template=template) as url,
        ScriptedProvider(lambda turn: MODELS[turn.model]) as provider,
    ):
        addresses = {"OPENAI_BASE_URL": f"{provider.url}/v1", "ANTHROPIC_BASE_URL": provider.url}
        yield from _demo(url, folder / "signing-key.pem", addresses)


def _demo(
    database_url: str, signing_key: Path, addresses: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    with Database(database_url, pool_size=1) as database:
        analysts = analyst_url(database, "default")
    signing_key.write_bytes(
        Ed25519PrivateKey.generate().private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
        )
    )
    environment = {
        **os.environ,
        "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
        "AGENTLOG_DATABASE_URL": database_url,
        "AGENTLOG_ANALYST_URL": analysts,
        "AGENTLOG_SIGNING_KEY": str(signing_key),
        "AGENTLOG_IMPORT_DIR": str(signing_key.parent),
        "AGENTLOG_GATEWAY_URL": f"http://127.0.0.1:{free_port()}/openai/v1",
        "XDG_STATE_HOME": str(signing_key.parent),
        **addresses,
    }
    with subprocess.Popen(
        ["agentlog", "demo", "--port", "0"], env=environment, stdout=subprocess.PIPE, text=True
    ) as demo:
        try:
            assert demo.stdout is not None
            first = demo.stdout.readline()
            match = re.search(r"http://127\.0\.0\.1:\d+", first)
            assert match is not None, first
            yield {**environment, "ADDRESS": match[0], "AGENTLOG_URL": match[0]}
        finally:
            demo.terminate()
        assert demo.wait(timeout=WAIT_SECONDS) == 0


def run_examples(document: Path, environment: Mapping[str, str], folder: Path) -> None:
    """Run a document's examples in their order; each prints what the document says."""
    (folder / "examples").symlink_to(ROOT / "examples")  # a reader is in the checkout
    text = document.read_text()
    ports = dict.fromkeys(_PORT.findall(text.replace(PRINTED_ADDRESS, "")), "")
    ports = {name: str(free_port()) for name in ports}  # theirs may be in use here
    ports[GATEWAY_PORT] = _PORT.findall(environment["AGENTLOG_GATEWAY_URL"])[0]
    for block in _BLOCK.finditer(text):
        code = block["code"].replace(PRINTED_ADDRESS, environment["ADDRESS"])
        for name, port in ports.items():
            code = code.replace(name, port)
        if block["language"] == "sh":  # answers end without a line break, which a reader sees
            command = ["bash", "-euo", "pipefail"]
            code = 'curl() { command curl "$@"; echo; }\n' + code
        else:
            command = [sys.executable]
        done = subprocess.run(
            [*command, "-c", code],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=4 * WAIT_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{code}\n{done.stdout}\n{done.stderr}"
        if block["output"] is not None:
            printed = done.stdout
            for name, port in ports.items():
                printed = printed.replace(port, name)
            _check(block["code"], block["output"], printed)


def _check(code: str, expected: str, printed: str) -> None:
    checker = doctest.OutputChecker()
    expected = re.sub(r"\n +", "", expected)  # an indented line continues the one above
    printed = "\n".join(line for line in printed.splitlines() if line.strip()) + "\n"
    if not checker.check_output(expected, printed, doctest.ELLIPSIS):
        pytest.fail(f"the document says of\n{code}\n{expected}\nbut it printed\n{printed}")
