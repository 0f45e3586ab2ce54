"""A service with the examples, real runs and hostile contents; a browser, and pages of it.

A page fails its test at the end where anything was logged as an error: a refused policy, an
exception, a file that is not there.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect

from agentlog.infrastructure.postgres.database import Database
from tests.airline import airline_file
from tests.browser.chromium import chromium
from tests.browser.contents import append_hostile
from tests.clients import TLS
from tests.command_line import agentlog, started
from tests.databases import new_database
from tests.infrastructure.analysts.logins import analyst_url
from tests.waiting import WAIT_SECONDS, until

ROOT = Path(__file__).parents[2]


SCHEMES = ["light", pytest.param("dark", marks=pytest.mark.slow)]
"""The colours of the page."""


@dataclass(frozen=True, slots=True)
class Service:
    """A running service: its address, and a client of it."""

    address: str
    client: httpx2.Client

    def append(self, thread_id: str, *messages: dict[str, object]) -> None:
        """Append messages to a thread."""
        answer = self.client.post(f"/v1/threads/{thread_id}/messages", json=messages)
        assert answer.status_code == 201, answer.text


@contextmanager
def serving(url: str) -> Iterator[Service]:
    """Run `agentlog serve` on a database, with projections and SQL, until the block ends."""
    with Database(url, pool_size=1) as database:
        analysts = analyst_url(database, "default")
    settings = {
        "AGENTLOG_PROJECTIONS": "on",
        "AGENTLOG_MAX_BODY_BYTES": str(2**25),
        "AGENTLOG_ANALYST_URL": analysts,
        "FORWARDED_ALLOW_IPS": "127.0.0.1",
        "AGENTLOG_USER_HEADER": "X-User",
    }
    with started("serve", "--port", "0", url=url, **settings) as process:
        assert process.stdout is not None
        match = re.search(r"http://\S+?(?=,)", process.stdout.readline())
        assert match is not None, process.communicate()
        with httpx2.Client(base_url=match[0], timeout=60, trust_env=False, verify=TLS) as client:
            yield Service(match[0], client)
        process.terminate()
        process.communicate(timeout=WAIT_SECONDS)


@pytest.fixture(scope="session")
def service(server_url: str, template_database: str) -> Iterator[Service]:
    """The service that the pages ask; its read models are up to date."""
    with new_database(server_url, template=template_database) as url:
        _fill(url)
        with serving(url) as running:
            append_hostile(running.client)
            catch_up(running)
            yield running


def _fill(url: str) -> None:
    assert agentlog("import", ROOT / "examples", url=url).code == 0
    outcome = agentlog(
        "import",
        *("--format", "openai"),
        *("--messages", "$.traj"),
        *("--thread-id", "airline-{task_id}-{trial}"),
        *("--metadata", "task={task_id}", "--metadata", "reward={reward}"),
        airline_file(),
        url=url,
    )
    assert outcome.code == 0, outcome.err


def catch_up(service: Service) -> None:
    """Wait until the read models have all that is in the log."""

    def are_level() -> bool:
        items = service.client.get("/v1/projections").json()["items"]
        return bool(items) and all(build["lag"] == 0 for build in items)

    until(are_level)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A Chromium, without a window. It ends with these tests: its driver keeps a loop running."""
    expect.set_options(timeout=25_000)  # a machine that runs other tests beside
    with chromium() as chrome:
        yield chrome


@pytest.fixture
def page(browser: Browser, service: Service) -> Iterator[Page]:
    """A page of its own session, whose addresses are the service's."""
    with opened(browser, service) as opened_page:
        yield opened_page


@contextmanager
def opened(browser: Browser, service: Service, **options: Any) -> Iterator[Page]:
    """Open a page; `options` are those of a Playwright context. Errors of it fail the test.

    A 503 is none: a service on a busy machine may say it, and the page asks again.
    """
    size = {"viewport": {"width": 1280, "height": 800}}
    context = browser.new_context(base_url=service.address, **{**size, **options})
    page = context.new_page()
    errors: list[str] = []

    def note(said: ConsoleMessage) -> None:
        if said.type == "error" and "503 (Service Unavailable)" not in said.text:
            errors.append(f"{said.text} {said.location['url']}")

    page.on("console", note)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.unroute_all(behavior="wait")  # an answer of a test's own may still be on its way
    context.close()
    assert errors == []


@contextmanager
def held(page: Page, address: str) -> Iterator[None]:
    """Hold the answers of addresses that match back until the block ends."""
    routes: list[Route] = []

    def hold(route: Route) -> None:
        routes.append(route)

    pattern = re.compile(address)
    page.route(pattern, hold)
    try:
        yield
    finally:
        for route in routes:
            route.continue_()
        page.unroute(pattern)
