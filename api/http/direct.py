"""Appends, past everything that is there for others: straight from the connection to the writer.

An append is a few hundred bytes, and most of what it took was to hand it on: a task that waits for
the writer, and each message of request and answer through all layers. Here the same functions are
called one after another, and what the writer says is written to the connection.

Only what is as usual comes through here. All else is left to the application from its beginning:
who is unknown or refused, a body that is off, a client that takes no answers.
"""

import asyncio
import time
from functools import partial
from typing import Any

from starlette.types import Message
from structlog.contextvars import bound_contextvars
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from api.http.answers import error_answer
from api.http.appending import SMALL_BODY, is_small
from api.http.asking import header_of
from api.http.authentication import Authenticated
from api.http.limits import Limits
from api.http.messages import append_messages, append_request, appended_answer
from api.http.packets import Packets
from api.http.permissions import FoundRoute
from api.http.request_ids import id_of, named
from api.http.traffic import Traffic
from infrastructure.requests import Outcomes, appended_in
from infrastructure.tenants import Tenants

_LAST = "/messages"


class DirectAppends:
    """Takes appends to one thread whose bodies are small."""

    def __init__(
        self,
        tenants: Tenants,
        authenticated: Authenticated,
        traffic: Traffic,
        limits: Limits,
        *,
        max_body_bytes: int,
    ) -> None:
        self._tenants = tenants
        self._authenticated = authenticated
        self._traffic = traffic
        self._limits = limits
        self._most_bytes = min(max_body_bytes, SMALL_BODY)
        self._answering: set[asyncio.Task[None]] = set()

    def is_for(self, cycle: RequestResponseCycle) -> bool:
        """Tell whether a request looks like one of these, and says that its body is small."""
        scope: Any = cycle.scope  # which uvicorn has a type of its own for
        if scope["method"] != "POST" or not scope["path"].endswith(_LAST):
            return False
        length = header_of(scope["headers"], b"content-length") or b""
        if not length.isdigit() or int(length) > self._most_bytes:
            return False
        return not cycle.waiting_for_100_continue

    def take(self, cycle: RequestResponseCycle) -> bool:
        """Have an append written, and answered then; False where the application has to."""
        began = time.perf_counter()
        body = bytes(cycle.body)
        if cycle.flow.write_paused or not is_small(body):
            return False
        scope: Any = cycle.scope
        recalled = self._authenticated.recall(scope)
        if recalled is None or recalled[0].route.target.endpoint is not append_messages:
            return False
        found, principal = recalled
        store = self._tenants.of(principal.tenant).store
        thread_id, headers = found.parameters["thread_id"], scope["headers"]
        try:
            request = append_request(store, thread_id, headers, principal, self._limits, body)
            tell = asyncio.get_running_loop().call_soon_threadsafe
            store.submit([request], partial(tell, partial(self._answer, cycle, found, began)))
        except Exception:  # noqa: BLE001 - whatever it is, the application says so
            return False
        return True

    def _answer(
        self, cycle: RequestResponseCycle, found: FoundRoute, began: float, outcomes: Outcomes
    ) -> None:
        scope: Any = cycle.scope
        request_id = id_of(scope["headers"])
        try:
            answer = appended_answer(appended_in(outcomes))
        except Exception as error:  # noqa: BLE001 - it is told
            with bound_contextvars(request_id=request_id.decode()):
                answer = error_answer(error, asked=f"{scope['method']} {scope['path']}")
        self._traffic.count(scope, found.route.template, answer.status_code, began=began)
        packets = Packets(cycle)
        body = bytes(answer.body)  # which it is
        if packets.write_usual(answer.status_code, answer.raw_headers, request_id, body):
            return
        message: Message = {
            "type": "http.response.start",
            "status": answer.status_code,
            "headers": named(answer.raw_headers, request_id, path=scope["path"]),
            "body": body,
        }
        rest = packets.write(message)
        if rest:  # the client is slow to take it, or gone
            sending = asyncio.get_running_loop().create_task(packets.send_rest(rest))
            self._answering.add(sending)
            sending.add_done_callback(self._answering.discard)
