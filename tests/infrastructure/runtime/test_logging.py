"""Logs: whatever logs, in one form, with the request's id and without secrets."""

import logging
from collections.abc import Iterator

import pytest
from structlog.contextvars import bind_contextvars, clear_contextvars

from agentlog.domain.json.text import parse
from agentlog.domain.json.values import JsonValue
from agentlog.infrastructure.runtime.logging import LogFormat, access_logger, logs_on_stderr

SECRET = "hunter2"  # noqa: S105 - to be looked for
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def loggers_as_in_a_new_process() -> Iterator[None]:
    """Loggers that no server of another test has silenced."""
    loggers = [logging.getLogger(name) for name in ("uvicorn", "uvicorn.error")]
    before = [(logged.level, logged.propagate, logged.handlers) for logged in loggers]
    for logged in loggers:
        logged.setLevel(logging.NOTSET)
        logged.propagate, logged.handlers = True, []
    yield
    for logged, (level, propagate, handlers) in zip(loggers, before, strict=True):
        logged.setLevel(level)
        logged.propagate, logged.handlers = propagate, handlers


@pytest.fixture(autouse=True)
def request_bound() -> Iterator[None]:
    """A request that is being answered."""
    bind_contextvars(request_id="r-1")
    yield
    clear_contextvars()


def lines_of(capsys: Captured) -> list[JsonValue]:
    """Return what was written, as JSON."""
    return [parse(line) for line in capsys.readouterr().err.splitlines()]


def test_each_line_is_json_with_its_place_its_time_and_its_request(capsys: Captured) -> None:
    with logs_on_stderr(form="json", level="info"):
        logging.getLogger("agentlog").warning("append %d broke off", 3, extra={"thread_id": "t"})
    (line,) = lines_of(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "append 3 broke off",
        "level": "warning",
        "logger": "agentlog",
        "request_id": "r-1",
        "thread_id": "t",
    }


@pytest.mark.parametrize("name", ["uvicorn.error", "psycopg.pool", "eventsourcing", "asyncio"])
def test_what_others_log_is_written_the_same_from_warnings_on(capsys: Captured, name: str) -> None:
    with logs_on_stderr(form="json", level="debug"):
        logging.getLogger(name).info("chatter")
        logging.getLogger(name).warning("trouble")
        logging.getLogger("agentlog").debug("ours")
    assert [(line["logger"], line["event"]) for line in lines_of(capsys)] == [
        (name, "trouble"),
        ("agentlog", "ours"),
    ]


def test_the_level_holds_for_ours_and_for_others(capsys: Captured) -> None:
    with logs_on_stderr(form="json", level="error"):
        logging.getLogger("agentlog").warning("ours")
        logging.getLogger("psycopg.pool").warning("theirs")
        logging.getLogger("psycopg.pool").error("worse")
    assert [line["event"] for line in lines_of(capsys)] == ["worse"]


@pytest.mark.parametrize("form", ["json", "text"])
def test_no_secret_is_written_wherever_it_stands(capsys: Captured, form: LogFormat) -> None:
    url = f"postgresql://me:{SECRET}@host/db"
    with logs_on_stderr(form=form, level="info"):
        logger = logging.getLogger("agentlog")
        logger.warning("no connection to %s", url)
        logger.warning(
            "failed", extra={"where": url, "headers": [("authorization", f"Bearer {SECRET}9")]}
        )
        try:
            _fail(SECRET, url)
        except RuntimeError:
            logger.exception("failed")
    written = capsys.readouterr().err
    assert SECRET not in written
    assert written.count("://me:***@host/db") == 3
    assert "RuntimeError" in written


def _fail(password: str, url: str) -> None:
    """Fail with a secret in a variable: no traceback shows values."""
    raise RuntimeError(url if password else "")


def test_text_is_for_people(capsys: Captured) -> None:
    with logs_on_stderr(form="text", level="info"):
        logging.getLogger("agentlog").warning("trouble")
    written = capsys.readouterr().err
    assert "trouble" in written
    assert "request_id=r-1" in written
    assert "\x1b" not in written  # nobody's terminal


def test_a_line_that_cannot_be_json_is_written_all_the_same(capsys: Captured) -> None:
    with logs_on_stderr(form="json", level="info"):
        logging.getLogger("agentlog").warning("odd", extra={"what": {1, 2}, "text": "a\nb\udc80"})
    (line,) = lines_of(capsys)
    assert (line["event"], line["text"]) == ("odd", "a\nb?")


def test_nothing_is_left_when_the_block_ends(capsys: Captured) -> None:
    root, ours = logging.getLogger(), logging.getLogger("agentlog")
    before = list(root.handlers), root.level, ours.level
    with logs_on_stderr(form="json", level="debug"):
        assert root.handlers != before[0]
    assert (root.handlers, root.level, ours.level) == before
    ours.debug("nobody hears this")
    assert capsys.readouterr().err == ""


def test_lines_of_requests_are_of_the_same_form(capsys: Captured) -> None:
    access_logger(form="json", level="info").info("request", status=200, tenant=None)
    (line,) = lines_of(capsys)
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "request",
        "level": "info",
        "logger": "agentlog.access",
        "request_id": "r-1",
        "status": 200,
        "tenant": None,
    }


def test_requests_are_below_a_higher_level(capsys: Captured) -> None:
    access_logger(form="json", level="warning").info("request")
    assert capsys.readouterr().err == ""
