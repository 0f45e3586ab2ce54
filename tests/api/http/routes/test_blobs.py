"""Files over HTTP, by the SHA-256 of their content."""

from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256

import pytest
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from tests.api.conftest import MAX_BLOB_BYTES

FILE = bytes(range(256)) * 5000
DIGEST = sha256(FILE).hexdigest()
PATH = f"/v1/blobs/{DIGEST}"


def _pieces(content: bytes) -> Iterator[bytes]:
    yield from (content[at : at + 70_000] for at in range(0, len(content), 70_000))


def test_a_file_streams_in_and_out(client: TestClient) -> None:
    answer = client.put(PATH, content=_pieces(FILE))
    assert (answer.status_code, answer.json()) == (201, {"sha256": DIGEST, "bytes": len(FILE)})
    assert client.put(PATH, content=_pieces(FILE)).status_code == 200
    response = client.get(PATH)
    assert response.content == FILE
    assert response.headers["content-length"] == str(len(FILE))
    assert response.headers["content-disposition"] == "attachment"
    again = client.get(PATH, headers={"If-None-Match": response.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_message_names_a_file_and_shows_it_either_way(client: TestClient) -> None:
    client.put(PATH, content=FILE)
    messages = "/v1/threads/t/messages"
    file = {"sha256": DIGEST, "filename": "a.bin", "mimeType": "application/pdf"}
    small = {"data": "QQ=="}
    sent = client.post(messages, json={"type": "input", "files": [file, small]})
    assert sent.status_code == 201
    (linked,) = client.get(messages, params={"files": "linked"}).json()["items"]
    assert linked["message"]["files"] == [file, small]
    (inline,) = client.get(messages).json()["items"]
    data = b64encode(FILE).decode()
    assert inline["message"]["files"][0]["data"] == data
    one = f"{messages}/{inline['message']['id']}"
    assert client.get(one, params={"files": "linked"}).json()["message"] == linked["message"]
    # what is shown linked can be sent as it is
    assert client.post("/v1/threads/u/messages", json=[linked["message"]]).status_code == 201
    (item,) = client.get("/v1/threads/u/views/openai").json()["items"]
    assert item["content"][0]["file"]["file_data"] == f"data:application/pdf;base64,{data}"


def test_a_file_sent_inline_is_a_blob_too(client: TestClient) -> None:
    data = b64encode(FILE).decode()
    client.post("/v1/threads/t/messages", json={"type": "input", "files": [{"data": data}]})
    assert client.get(PATH).content == FILE


def test_lines_name_files_too(client: TestClient) -> None:
    line = '{"threadId":"t","messages":[{"type":"input","files":[{"sha256":"%s"}]}]}\n'
    (refused,) = client.post("/v1/log", content=line % DIGEST).text.splitlines()
    assert "messages[0].files[0].sha256" in refused
    client.put(PATH, content=FILE)
    (accepted,) = client.post("/v1/log", content=line % DIGEST).text.splitlines()
    assert '"version":1' in accepted


def test_what_is_refused_keeps_nothing(client: TestClient) -> None:
    cut_short = client.put(PATH, content=FILE[:-1])
    assert cut_short.status_code == 422
    assert sha256(FILE[:-1]).hexdigest() in cut_short.json()["detail"]
    large = client.put(PATH, content=_pieces(bytes(MAX_BLOB_BYTES + 1)))
    assert large.status_code == 413
    assert "AGENTLOG_MAX_BLOB_BYTES" in large.json()["detail"]
    assert client.put("/v1/blobs/nonsense", content=FILE).status_code == 422
    missing = client.get(PATH)
    assert (missing.status_code, missing.json()["type"].rsplit(":")[-1]) == (404, "unknown-blob")
    by_digest = {"type": "input", "files": [{"sha256": DIGEST}]}
    refused = client.post("/v1/threads/t/messages", json=by_digest)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["place"] == "messages[0].files[0].sha256"
    assert client.get("/v1/threads/t").status_code == 404


def test_a_file_that_was_altered_is_not_handed_out_whole(
    client: TestClient, database: Database
) -> None:
    small = sha256(b"small").hexdigest()
    client.put(f"/v1/blobs/{small}", content=b"small")
    client.put(PATH, content=FILE)
    with database.connection() as connection:
        connection.execute(
            "UPDATE agentlog.blobs SET content = set_byte(content, 2, 255 - get_byte(content, 2)) "
            "WHERE piece = 0"
        )
    refused = client.get(f"/v1/blobs/{small}")
    assert (refused.status_code, refused.json()["missing"]) == (410, [small])
    with pytest.raises(RuntimeError, match="already started"), client.stream("GET", PATH) as answer:
        answer.read()
