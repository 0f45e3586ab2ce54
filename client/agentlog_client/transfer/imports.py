"""The command import, of files that a service reads."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import SEEK_END
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any, BinaryIO

from agentlog_client.client import Client
from agentlog_client.errors import AgentlogError
from agentlog_client.exchange import Retries
from agentlog_client.transfer.files import STANDARD_INPUT, Files, files_of, named
from agentlog_client.transfer.screen import Screen
from agentlog_client.transfer.sending import Sender

_PATIENCE_SECONDS = 300.0


def import_files(  # noqa: PLR0913 - one parameter an option
    paths: Sequence[Path],
    *,
    url: str | None,
    key: str | None,
    order: Mapping[str, Any],
    dry_run: bool = False,
    report: Path | None = None,
) -> int:
    """Import files and folders by a service; return the exit code, 1 where a record was refused.

    `order` has what the service is to do beside the paths, as `POST /v1/imports` takes it.
    `report` gets all findings, as JSON lines.

    Raises:
        AgentlogError: the import is refused or ended early, or the service stays away.
    """
    names = [named(path) for path in paths]
    screen = Screen()
    with Client(url, key=key, retries=Retries(attempts=2)) as client:
        sender = Sender(client, screen, patience=_PATIENCE_SECONDS)
        upload = sender.insist(lambda: client.begin_import(names, **order))
        try:
            files = files_of(paths, upload.suffixes)
            _send_all(sender, upload.id, files)
            came = sender.run(upload.id, dry_run=dry_run, passed_over=files.passed_over)
            for line in came.text.splitlines():
                screen.line(line)
            if report is not None:
                findings = sender.insist(lambda: client.import_findings(upload.id))
                report.write_text(
                    "".join(
                        json.dumps(finding.model_dump(), ensure_ascii=False, separators=(",", ":"))
                        + "\n"
                        for finding in findings
                    )
                )
        except KeyboardInterrupt:
            screen.line("interrupted: what was sent is imported if a run has begun")
            raise
        finally:
            with suppress(AgentlogError):  # it runs still, or the service removes it in a day
                client.discard_import(upload.id)
    if came.failure is not None:
        raise ImportFailed(came.failure)
    return 1 if came.counts.get("refused") else 0


class ImportFailed(AgentlogError):
    """The run ended early; what it counted is written."""


def _send_all(sender: Sender, import_id: str, files: Files) -> None:
    total = sum(file.path.stat().st_size for file in files.files if file.path.is_file())
    before = 0
    for file in files.files:
        with _opened(file.path) as opened:

            def show(sent: int, before: int = before) -> None:
                sender.screen.progress("sending", before + sent, total)

            size = opened.seek(0, SEEK_END)
            sender.send(import_id, file.name, opened, size=size, progress=show)
            before += size


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file that can be read more than once; standard input and pipes are copied."""
    if path.is_file():
        with path.open("rb") as file:
            yield file
        return
    with TemporaryFile() as copy:
        if str(path) == STANDARD_INPUT:
            copyfileobj(sys.stdin.buffer, copy)
        else:
            with path.open("rb") as pipe:
                copyfileobj(pipe, copy)
        yield copy
