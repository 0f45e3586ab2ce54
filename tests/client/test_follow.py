"""Streams go on where they broke off, whatever ended the service."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import aclosing, closing

import pytest

from agentlog_client import AsyncClient, Client
from tests.client.conftest import async_client_of, client_of
from tests.reliability.service import ServiceProcess, own_service

COUNT = 20


@pytest.fixture
def service(database_url: str) -> Iterator[ServiceProcess]:
    """A service that can be killed."""
    with own_service(database_url, AGENTLOG_PROJECTIONS="off") as service:
        yield service


def _append(client: Client, number: int) -> None:
    client.append("followed", {"type": "reply", "text": f"{number}"})


def test_a_killed_service_is_followed_further(service: ServiceProcess) -> None:
    with client_of(service.address) as client:
        for number in range(COUNT):
            _append(client, number)
        with (
            closing(client.follow("followed", "kernel")) as frames,
            closing(client.follow_log()) as events,
        ):
            first = [next(frames).json()["text"] for _ in range(COUNT // 2)]
            positions = [next(events).position for _ in range(COUNT // 2)]
            service.end(signal.SIGKILL)
            service.start()
            _append(client, COUNT)
            first += [next(frames).json()["text"] for _ in range(COUNT // 2, COUNT + 1)]
            positions += [next(events).position for _ in range(COUNT // 2, COUNT + 1)]
    assert first == [f"{number}" for number in range(COUNT + 1)]
    assert positions == list(range(1, COUNT + 2))


async def _followed(client: AsyncClient, service: ServiceProcess) -> list[str]:
    async with aclosing(client.follow("followed", "kernel")) as frames:
        texts = [(await anext(frames)).json()["text"]]
        await asyncio.to_thread(service.end, signal.SIGKILL)
        await asyncio.to_thread(service.start)
        await client.append("followed", {"type": "reply", "text": "1"})
        return [*texts, (await anext(frames)).json()["text"]]


def test_asyncio_follows_as_well(service: ServiceProcess) -> None:
    with client_of(service.address) as client:
        _append(client, 0)

    async def run() -> list[str]:
        async with async_client_of(service.address) as client:
            return await _followed(client, service)

    assert asyncio.run(run()) == ["0", "1"]
