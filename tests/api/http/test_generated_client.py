"""openapi-python-client makes a client of the document: each operation, and lists as objects."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from agentlog.api.http.app import openapi_document
from tests.command_line import agentlog, started
from tests.waiting import WAIT_SECONDS

EXAMPLES = Path(__file__).parents[3] / "examples"
GENERATOR = Path(sys.executable).with_name("openapi-python-client")

PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from generated import Client
from generated.api.log import append_lines_v1_log_post as append_lines
from generated.api.log import read_log_v1_log_get as read_log
from generated.api.analytics import list_tables_v1_analytics_sql_tables_get as list_tables
from generated.api.messages import list_messages_v1_threads_thread_id_messages_get as list_messages
from generated.api.threads import list_threads_v1_threads_get as list_threads
from generated.types import File

client = Client(base_url=sys.argv[2], httpx_args={"trust_env": False})
from io import BytesIO
line = b'{"threadId": "made", "messages": [{"type": "reply", "text": "Hello"}]}'
append_lines.sync_detailed(client=client, body=File(payload=BytesIO(line)))
print(*sorted(thread.thread_id for thread in list_threads.sync(client=client).items))
print(*[event.version for event in list_messages.sync("refund", client=client, limit=3).items])
print(*[event.position for event in read_log.sync(client=client, limit=2).items])
"""


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    return openapi_document()


def test_the_document_is_valid_to_a_validator_of_its_version(document: dict[str, Any]) -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(document).iter_errors()] == []


def test_each_schema_has_a_title_of_its_own(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert {name: schema["title"] for name, schema in schemas.items()} == {
        name: name for name in schemas
    }


@pytest.fixture(scope="module")
def generated(document: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a package `generated`, and what the generator warned of beside it."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(document))
    (folder / "config.yaml").write_text("post_hooks: []")
    done = subprocess.run(
        [
            *(GENERATOR, "generate", "--config", folder / "config.yaml", "--meta", "none"),
            *("--path", folder / "openapi.json", "--output-path", folder / "generated"),
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    (folder / "warnings").write_text(done.stdout + done.stderr)
    return folder


def test_every_operation_is_made(document: dict[str, Any], generated: Path) -> None:
    made = {path.stem for path in generated.glob("generated/api/*/*.py")} - {"__init__"}
    asked = {
        re.sub("_+", "_", operation["operationId"])
        for item in document["paths"].values()
        for operation in item.values()
    }
    assert made == asked
    reasons = re.findall(r"^(?:Unable|Unsupported|Cannot).*", _warnings(generated), re.MULTILINE)
    assert [reason for reason in reasons if "content" not in reason] == []  # kinds of bodies


def _warnings(generated: Path) -> str:
    return (generated / "warnings").read_text()


@pytest.fixture
def address(database_url: str) -> Iterator[str]:
    """A service with the examples."""
    assert agentlog("import", EXAMPLES, url=database_url).code == 0
    with started("serve", "--port", "0", url=database_url) as process:
        assert process.stdout is not None
        listening = re.search(r"http://\S+?(?=,)", process.stdout.readline())
        assert listening is not None
        yield listening[0]


def test_lists_come_back_as_objects(generated: Path, address: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, generated, address],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "deploy invoice made refund research research-worker-1 unruly",
        "1 2 3",
        "1 2",
    ]
