"""A service on loopback over a fresh log, and both clients of it."""

from collections.abc import Iterator

import httpx2
import pytest
from fastapi import FastAPI

from agentlog.infrastructure.postgres.database import Database
from agentlog_client import AsyncClient, Client, Retries
from tests.api.conftest import app_over, end_following, threads_over
from tests.api.servers import running
from tests.clients import TLS


@pytest.fixture
def app(database: Database) -> Iterator[FastAPI]:
    """The application."""
    app = app_over(database, threads_over(database))
    yield app
    end_following(app)


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    """Its address."""
    with running(app) as (_, address):
        yield address


def client_of(url: str, *, key: str | None = None, attempts: int = 3) -> Client:
    """Return a client that does not wait long."""
    http = httpx2.Client(verify=TLS, trust_env=False, timeout=60)
    return Client(url, key=key, http=http, retries=Retries(attempts, first=0.01, longest=0.05))


def async_client_of(url: str) -> AsyncClient:
    """Return the same for asyncio."""
    http = httpx2.AsyncClient(verify=TLS, trust_env=False, timeout=60)
    return AsyncClient(url, http=http, retries=Retries(3, first=0.01, longest=0.05))


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    """A client of it."""
    with client_of(url) as opened:
        yield opened
