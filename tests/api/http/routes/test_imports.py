"""Imports over HTTP: pieces, runs, reports, undo; the same threads as by the command."""

import gzip
import io
import json
import zipfile
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.tenants import Tenants
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.uploads import uploads
from tests.api.conftest import MAX_IMPORT_FILE_BYTES, threads_over
from tests.api.keyholders import bearing, empty_keys, make_key
from tests.api.refusals import Refusals
from tests.infrastructure.appends import TENANT, reply
from tests.infrastructure.transfer.importing import run as import_here
from tests.projections.readers.test_golden_readers import SOURCES

LINES = "".join(json.dumps({"threadId": f"t{n}", "messages": [reply("x")]}) + "\n" for n in (1, 2))


class Import:
    """An import over HTTP."""

    def __init__(self, client: TestClient, *paths: str, **fields: Any) -> None:
        self.client = client
        answer = client.post("/v1/imports", json={"paths": paths, **fields})
        assert answer.status_code == 201, answer.text
        self.id = answer.json()["id"]
        self.url = f"/v1/imports/{self.id}"

    def put(self, path: str, data: bytes | str, **headers: str) -> Any:
        url = f"{self.url}/files"
        return self.client.put(url, params={"path": path}, content=data, headers=headers)

    def add(self, path: str, data: bytes | str, *, offset: int | str, **headers: str) -> Any:
        given = {"Upload-Offset": str(offset), **headers}
        url = f"{self.url}/files"
        return self.client.patch(url, params={"path": path}, content=data, headers=given)

    def send(self, path: str, data: bytes | str) -> None:
        answer = self.put(path, data)
        assert answer.status_code == 200, answer.text

    def run(self, **fields: Any) -> Any:
        """Return the report of a run."""
        answer = self.client.post(f"{self.url}/run", json=fields)
        assert answer.status_code == 202, answer.text
        number = answer.json()["run"]
        for _ in range(10):
            upload = self.client.get(self.url, params={"wait": 10}).json()
            if upload["state"] == "open":
                assert upload["report"]["run"] == number
                return upload["report"]
        raise AssertionError(upload)


def texts(threads: Threads, thread_id: str) -> list[str]:
    return [json.loads(event.body).get("text") for event in threads.messages(thread_id)][1:]


def history(threads: Threads) -> dict[str, list[Any]]:
    """Return all threads of a log; times are those of the clock."""
    return {
        thread_id: [
            {key: value for key, value in json.loads(event.body).items() if key != "timestamp"}
            for event in threads.messages(thread_id)
        ]
        for thread_id in threads.thread_ids(limit=1000)
    }


def files_of(source: Path) -> Iterator[tuple[str, str, Path]]:
    """Yield the path that an import names, and that of each of its files, and the file."""
    if source.is_file():
        yield str(source), str(source), source
        return
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        yield f"{source}/", str(file), file


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_each_format_comes_in_as_by_the_command(
    app: FastAPI, client: TestClient, database: Database, source: Path
) -> None:
    there = threads_over(database, tenant="there")
    local = import_here(there, source, wire=None)
    begun: Import | None = None
    for path, name, file in files_of(source):
        begun = begun or Import(client, path)
        begun.send(name, file.read_bytes())
    assert begun is not None
    report = begun.run()
    tenants: Tenants = app.state.tenants
    without_starts = [
        {
            thread_id: [body for body in bodies if body["type"] != "thread.started"]
            for thread_id, bodies in history(threads).items()
        }
        for threads in (tenants[TENANT].threads, there)
    ]
    assert without_starts[0] == without_starts[1]
    assert without_starts[0]
    assert report["text"].split("\n")[: len([*local.lines()])] == [*local.lines()]
    assert report["findings"] == [finding.to_json() for finding in local.findings][:1000]
    assert report["threads"] == local.threads
    assert report["kept"] == dict(local.kept)


def test_a_file_comes_in_pieces_and_goes_on_where_it_was(
    client: TestClient, threads: Threads
) -> None:
    begun = Import(client, "runs/")
    middle = len(LINES) // 2
    begun.send("runs/a.jsonl", LINES[:10])
    refused = begun.add("runs/a.jsonl", LINES[middle:], offset=middle)
    assert refused.status_code == 409
    assert (refused.json()["expectedOffset"], refused.json()["providedOffset"]) == (10, middle)
    assert begun.add("runs/a.jsonl", LINES[10:middle], offset=10).json()["bytes"] == middle
    there = client.get(f"{begun.url}/files", params={"path": "runs/a.jsonl"})
    assert there.headers["Upload-Offset"] == str(middle)
    assert there.json()["sha256"] == sha256(LINES[:middle].encode()).hexdigest()
    assert begun.add("runs/a.jsonl", LINES[middle:], offset=middle).status_code == 200
    report = begun.run()
    assert (report["threads"], report["appended"], report["failure"]) == (2, 4, None)
    assert threads.thread_ids(limit=10) == ["t1", "t2"]


def test_a_piece_with_another_digest_is_dropped(client: TestClient) -> None:
    begun = Import(client, "a.jsonl")
    begun.send("a.jsonl", "one\n")

    def digest(data: bytes) -> str:
        return f"sha-256=:{b64encode(sha256(data).digest()).decode()}:"

    refused = begun.add("a.jsonl", "two\n", offset=4, **{"Content-Digest": digest(b"tow\n")})
    assert refused.status_code == 422
    kept = begun.add("a.jsonl", "two\n", offset=4, **{"Content-Digest": digest(b"two\n")})
    assert kept.json()["bytes"] == 8


def test_a_dry_run_says_the_same_and_writes_nothing(client: TestClient, threads: Threads) -> None:
    begun = Import(client, "a.jsonl")
    begun.send("a.jsonl", LINES + "no JSON\n")
    dry, wet = begun.run(dryRun=True), None
    assert threads.log() == []
    assert client.get("/v1/imports").json()["items"] == []
    wet = begun.run()
    assert {**dry, "run": 2, "dryRun": False, "text": ""} == {**wet, "text": ""}
    assert dry["text"] in wet["text"]
    assert wet["findings"] == [
        {"kind": "refused", "place": "a.jsonl:3", "reason": dry["findings"][0]["reason"]}
    ]
    assert "`agentlog imports undo" in wet["text"]


def test_an_import_is_listed_undone_and_shown_again(client: TestClient, threads: Threads) -> None:
    begun = Import(client, "a.jsonl")
    begun.send("a.jsonl", LINES)
    begun.run()
    (listed,) = client.get("/v1/imports").json()["items"]
    assert (listed["id"], listed["threads"], listed["paths"]) == (begun.id, 2, ["a.jsonl"])
    assert client.post(f"{begun.url}/undo").json() == {"threads": 2, "grown": []}
    assert threads.thread_ids(limit=10) == []
    assert begun.run()["hidden"] == 2
    assert client.post(f"{begun.url}/redo").json() == {"threads": 2, "grown": []}
    assert threads.thread_ids(limit=10) == ["t1", "t2"]


@pytest.fixture
def keyed(database: Database) -> Iterator[None]:
    """Keys may be made; none is left."""
    yield
    empty_keys(database)


@pytest.mark.usefixtures("keyed")
def test_a_key_takes_back_its_own_imports_alone(app: FastAPI, client: TestClient) -> None:
    own, other, admin = (make_key(app, scope) for scope in ("append", "append", "admin"))
    client.headers = dict(bearing(own))
    begun = Import(client, "a.jsonl")
    begun.send("a.jsonl", LINES)
    begun.run()
    for key, status in ((other, 404), (own, 200), (other, 404), (own, 200)):
        client.headers = dict(bearing(key))
        assert client.post(f"{begun.url}/undo").status_code == status
    client.headers = dict(bearing(admin))
    assert client.post(f"{begun.url}/undo").status_code == 403  # it may not append at all


def test_a_growing_file_adds_only_what_is_new(client: TestClient, threads: Threads) -> None:
    def line(text: str) -> str:
        return json.dumps({"type": "log", "text": text}) + "\n"

    begun = Import(client, "logs/", growing=True)
    assert begun.run()["failure"] is None  # nothing has come yet
    begun.send("logs/s.jsonl", line("a") + line("b")[:-3])
    assert begun.run()["appended"] == 2
    size = len(line("a") + line("b")) - 3
    begun.add("logs/s.jsonl", line("b")[-3:] + line("c"), offset=size)
    report = begun.run()
    assert (report["appended"], report["replayed"]) == (2, 0)
    assert begun.run()["appended"] == 0
    assert texts(threads, "s") == ["a", "b", "c"]
    (listed,) = client.get("/v1/imports").json()["items"]
    assert (listed["threads"], listed["events"], listed["grown"]) == (1, 4, [])


@pytest.mark.parametrize(
    "path",
    [
        "../a.jsonl",
        "runs/../../a.jsonl",
        "runs//a.jsonl",
        "runs/./a.jsonl",
        "runs/",
        "other/a.jsonl",
        "/etc/passwd",
        "runs/a\0.jsonl",
        f"runs/{'x' * 256}.jsonl",
        f"runs/{'x/' * 3000}a.jsonl",
        "",
    ],
)
def test_a_path_that_leads_elsewhere_is_refused(client: TestClient, path: str) -> None:
    begun = Import(client, "runs/")
    assert begun.put(path, b"x").status_code == 422


def test_a_name_of_a_file_and_of_a_folder_is_refused(client: TestClient) -> None:
    begun = Import(client, "runs/")
    begun.send("runs/a", b"x")
    begun.send("runs/b/c", b"x")
    assert begun.put("runs/a/b", b"x").status_code == 422
    assert begun.put("runs/b", b"x").status_code == 422


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({}, "paths"),
        ({"paths": []}, "paths"),
        ({"paths": ["a", "a"]}, "paths"),
        ({"paths": ["a", 1]}, "paths[1]"),
        ({"paths": [".."]}, "paths[0]"),
        ({"paths": ["a"], "format": "nope"}, "nope"),
        ({"paths": ["a"], "records": "$["}, "$["),
        ({"paths": ["a"], "records": "$[?match(@.a, '(a+)+b')]"}, "records"),
        ({"paths": ["a"], "messages": "$..a..b"}, "messages"),
        ({"paths": ["a"], "threadId": "{"}, "{"),
        ({"paths": ["a"], "metadata": {"a": 1}}, "a"),
        ({"paths": ["a"], "policy": "lax"}, "policy"),
        ({"paths": ["a"], "strict": "yes"}, "strict"),
        ({"paths": ["a"], "other": 1}, "other"),
    ],
)
def test_an_order_that_is_off_names_the_place(
    refusals: Refusals, client: TestClient, fields: Any, place: str
) -> None:
    del refusals
    answer = client.post("/v1/imports", json=fields)
    assert answer.status_code == 422
    assert place in answer.json()["detail"]


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


HOSTILE = {
    "bomb.json.gz": gzip.compress(b"[" + b" " * (2 * MAX_IMPORT_FILE_BYTES) + b"]"),
    "bomb.zip": zipped(**{"a.json": b" " * (2 * MAX_IMPORT_FILE_BYTES)}),
    "values.json": b"[" + b"[]," * 6_000_000 + b"[]]",
    "lines.jsonl": b"{}\n" * 2_000_000,
    "broken.zip": b"PK\x03\x04 no archive",
    "deep.json": b"[" * 100_000,
    "latin.jsonl": "é\n".encode("latin-1"),
    "empty.json": b"",
}


def test_hostile_files_are_refused_by_place_and_the_rest_comes_in(client: TestClient) -> None:
    begun = Import(client, "in/")
    for name, data in HOSTILE.items():
        begun.send(f"in/{name}", data)
    begun.send("in/good.jsonl", LINES)
    report = begun.run()
    assert report["failure"] is None
    assert report["threads"] == 2
    told = {finding["place"].split(":")[0] for finding in report["findings"]}
    assert told == {f"in/{name}" for name in HOSTILE}


@pytest.mark.parametrize(
    "most", [1_000, pytest.param(uploads._MOST_FINDINGS, marks=pytest.mark.slow)]
)
def test_broken_lines_without_end_end_a_run_with_a_reason(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(uploads, "_MOST_FINDINGS", most)
    begun = Import(client, "a.jsonl")
    begun.send("a.jsonl", b"x\n" * (10 * most))
    report = begun.run()
    assert f"more than {most} findings" in report["failure"]
    assert client.get(f"{begun.url}/findings").text.count("\n") == most + 1


def test_what_is_too_large_is_refused_before_it_is_kept(client: TestClient) -> None:
    begun = Import(client, "in/")
    assert begun.put("in/a", b"x" * (MAX_IMPORT_FILE_BYTES + 1)).status_code == 413
    assert begun.put("in/a", b"x" * MAX_IMPORT_FILE_BYTES).status_code == 200
    assert begun.put("in/b", b"x" * (MAX_IMPORT_FILE_BYTES - 9999)).status_code == 200
    refused = begun.put("in/c", b"x" * 9999)
    assert refused.status_code == 413
    assert "AGENTLOG_MAX_IMPORT_BYTES" in refused.json()["detail"]
    assert client.delete(begun.url).json() == {"id": begun.id}
    assert client.get(begun.url).status_code == 404
    again = Import(client, "in/")
    assert again.put("in/c", b"x").status_code == 200


def test_files_that_were_not_sent_are_in_the_report(client: TestClient) -> None:
    begun = Import(client, "in/")
    begun.send("in/a.jsonl", LINES)
    report = begun.run(passedOver={"in/a.mp4": "by its name it has no histories"})
    assert report["counts"] == {"passed over": 1}
    assert "passed over         1  in/a.mp4" in report["text"]


def test_a_run_without_files_says_what_is_missing(client: TestClient) -> None:
    begun = Import(client, "in/", "a.jsonl")
    report = begun.run()
    assert report["failure"] == "in: no such file or folder"


def test_what_still_arrives_is_not_run_and_a_run_takes_no_more(
    app: FastAPI, client: TestClient
) -> None:
    tenants: Tenants = app.state.tenants
    begun = Import(client, "a.jsonl", "b.jsonl")
    with tenants[TENANT].uploads.piece(begun.id, "a.jsonl", offset=None) as piece:
        piece.write(LINES.encode())
        refused = client.post(f"{begun.url}/run")
        assert (refused.status_code, refused.headers["Retry-After"]) == (409, "1")
        assert begun.add("a.jsonl", b"", offset=0).status_code == 409
    begun.send("b.jsonl", b"{}\n" * 200_000)
    assert client.post(f"{begun.url}/run").status_code == 202
    refusals = [begun.put("a.jsonl", b""), client.delete(begun.url)]
    client.get(begun.url, params={"wait": 60})
    assert [refused.status_code for refused in refusals] == [409, 409]
    assert begun.run()["threads"] == 2
