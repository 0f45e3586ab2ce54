"""The process of a gateway's proxy: as that of a recording, for those who have a key.

It reads keys from the database, and each holds as it was last read while that does not answer. What
goes through is written to files, which the parent puts into the log.
"""

import secrets
import socket
import sys
import time
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import BinaryIO

import msgspec

from agentlog.api.http.middleware.authentication import AnonymousFrom, Authentication, Entrance
from agentlog.domain.identifiers import Ulids
from agentlog.extensions.runs.api.gateway.door import Bounds
from agentlog.extensions.runs.api.gateway.proxy import Proxy, serve, server_of
from agentlog.extensions.runs.api.gateway.team_door import TeamDoor
from agentlog.extensions.runs.infrastructure.exchanges.gateway_files import GatewayFiles
from agentlog.extensions.runs.infrastructure.exchanges.rules import Rules
from agentlog.extensions.runs.infrastructure.exchanges.spools_aside import exposition
from agentlog.infrastructure.appending.append_request import wall_clock
from agentlog.infrastructure.appending.masks import TenantMasks
from agentlog.infrastructure.keys.accesses import Accesses
from agentlog.infrastructure.keys.cache import RecentKeys
from agentlog.infrastructure.keys.keys import Keys
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import KEYED, Listener
from agentlog.infrastructure.runtime.logging import LogFormat, logs_on_stderr

_POOL = 2


class TeamOrder(msgspec.Struct):
    """What the proxy does.

    Its socket's descriptor, the folder of its files, the providers' origins by name, the database
    with the keys; and until there is a first key, where callers may come from, by which names of
    this host, and the tenant that they are; and the most bytes of a body that are kept.
    """

    descriptor: int
    folder: str
    upstreams: dict[str, str]
    database: str
    anonymous: AnonymousFrom
    hosts: list[str]
    own: str
    log_format: LogFormat
    max_body_bytes: int


def main(orders: BinaryIO) -> int:
    """Serve until the parent ends or says so; return the exit code."""
    order = msgspec.json.decode(orders.readline(), type=TeamOrder)
    new_id = Ulids(wall_clock, secrets.randbits)
    files: dict[str, GatewayFiles] = {}

    def files_of(tenant: str) -> GatewayFiles:
        if tenant not in files:
            rule = partial(rules.rule, tenant)
            files[tenant] = GatewayFiles(Path(order.folder), tenant, new_id=new_id, rule=rule)
        return files[tenant]

    with (
        socket.socket(fileno=order.descriptor) as listener,
        logs_on_stderr(form=order.log_format, level="info"),
        Database(order.database, pool_size=_POOL, in_role=True) as database,
        Listener(database) as notifications,
    ):
        rules = Rules(TenantMasks(database))
        notifications.on(KEYED, rules.refresh)  # and at each poll
        keys = Keys(database, random_bytes=secrets.token_bytes, clock=_now)
        entrance = Entrance(
            RecentKeys(keys, notifications, ticks=time.monotonic),
            Accesses(database),
            anonymous=order.anonymous,
            allowed_hosts=frozenset(order.hosts),
        )
        authentication = Authentication(entrance, own=order.own)
        figures = partial(exposition, Path(order.folder))
        door = TeamDoor(authentication, [*order.upstreams], figures)
        proxy = Proxy(files_of, order.upstreams, door, Bounds(order.max_body_bytes))
        serve(server_of(proxy), listener, orders)
    return 0


def _now() -> datetime:
    return datetime.now(UTC)


if __name__ == "__main__":
    sys.exit(main(sys.stdin.buffer))
