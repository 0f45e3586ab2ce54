"""Posts one delivery, within bounds: no redirect is followed, and no body is read."""

import asyncio
import ssl
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from http import HTTPStatus
from typing import NamedTuple

import httpx2

from agentlog.infrastructure.webhooks.addresses import (
    Address,
    Addresses,
    AddressRefused,
    parsed_url,
)
from agentlog.infrastructure.webhooks.payload import Payload, Secret

_DAY_SECONDS = 86_400
_OVERLOADED = {
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}


class Answer(NamedTuple):
    """What came of a request.

    `error` is None where it was taken. `is_gone`: the receiver wants nothing more. `is_down`: other
    requests to it would fail too. `wait_seconds` is what it asked for.
    """

    error: str | None = None
    is_gone: bool = False
    is_down: bool = False
    wait_seconds: float = 0


@dataclass(frozen=True, slots=True)
class Poster:
    """Posts to webhooks; `seconds` is the most that a request takes, from name to answer.

    `context` is called for each request: it costs much, and most services have no webhooks.
    """

    addresses: Addresses
    context: Callable[[], ssl.SSLContext]
    resolvers: Executor
    seconds: float

    async def post(self, url: str, payload: Payload, secret: Secret) -> Answer:
        """Post a payload once."""
        try:
            async with asyncio.timeout(self.seconds):
                return await self._post(url, payload, secret)
        except TimeoutError:
            return Answer(f"no answer within {self.seconds:g} s", is_down=True)
        except AddressRefused as error:
            return Answer(str(error), is_down=True)
        except httpx2.HTTPError as error:
            # no more than its kind: its text may have what a private service answered
            return Answer(f"the connection failed: {type(error).__name__}", is_down=True)

    async def _post(self, url: str, payload: Payload, secret: Secret) -> Answer:
        loop = asyncio.get_running_loop()
        resolve = partial(self.addresses.resolve, url)
        *others, last = await loop.run_in_executor(self.resolvers, resolve)
        for address in others:
            try:
                return await self._post_to(address, url, payload, secret)
            except httpx2.ConnectError:
                pass  # a host may have an address on which nothing listens
        return await self._post_to(last, url, payload, secret)

    async def _post_to(
        self, address: Address, url: str, payload: Payload, secret: Secret
    ) -> Answer:
        named = parsed_url(url)
        now = int(time.time())
        headers = {
            "host": named.netloc.decode("ascii"),
            "content-type": "application/json",
            "user-agent": "agentlog",
            "webhook-id": payload.id,
            "webhook-timestamp": str(now),
            "webhook-signature": secret.sign(payload.id, now, payload.body),
        }
        target = named.copy_with(host=str(address))
        # a connection of its own: others to this address may be of another name
        async with (
            httpx2.AsyncClient(
                verify=self.context(), trust_env=False, follow_redirects=False, timeout=self.seconds
            ) as client,
            client.stream(
                "POST",
                target,
                content=payload.body,
                headers=headers,
                extensions={"sni_hostname": named.raw_host.decode("ascii")},
            ) as response,
        ):
            return _answer(response)


def _answer(response: httpx2.Response) -> Answer:
    status = response.status_code
    if response.is_success:
        return Answer()
    return Answer(
        f"it answered {status}",
        is_gone=status == HTTPStatus.GONE,
        is_down=status in _OVERLOADED,
        wait_seconds=retry_after(response.headers.get("retry-after", "")),
    )


def retry_after(text: str) -> float:
    """Return the seconds that a `Retry-After` asks for, at most a day."""
    if text.isascii() and text.isdecimal():
        return min(int(text[:9]), _DAY_SECONDS)
    try:
        seconds = (parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError, OverflowError, IndexError):  # whatever a receiver may send
        return 0
    return min(max(seconds, 0), _DAY_SECONDS)
