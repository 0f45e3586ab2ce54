"""The proof that the log is what clients were told, whole, and that all that is read agrees."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPException
from urllib.parse import urlsplit

from typing_extensions import override
from ulid import ULID

from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from agentlog.projections.readmodels.registry import READ_MODELS
from tests.command_line import agentlog
from tests.infrastructure.appends import check_log, fetch
from tests.infrastructure.readmodels.tables import live, rows_of
from tests.reliability.arrivals import PREFIXES
from tests.reliability.followers import END, LAST_THREAD, Follower, Reader
from tests.reliability.ledger import Ledger, Place
from tests.reliability.load import send
from tests.reliability.service import ServiceProcess

WAIT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Proven:
    """What was looked at, in numbers."""

    events: int
    threads: int
    rows: int
    breaks: int

    @override
    def __str__(self) -> str:
        return (
            f"{self.events:,} events in {self.threads} threads, each as acknowledged and once, "
            f"chains whole; {self.rows:,} rows of read models as a rebuild makes them; "
            f"readers were cut off {self.breaks} times, and missed and repeated nothing"
        )


def prove(
    url: str, service: ServiceProcess, ledger: Ledger, readers: Sequence[Reader] = ()
) -> Proven:
    """Hold the log against what clients were told, and what is read against the log.

    Nobody appends any more; `url` is the owner's. It ends the threads that are followed.
    """
    check_answers(ledger)
    followed = [reader.thread_id for reader in readers if isinstance(reader, Follower)]
    for thread_id in [*dict.fromkeys(filter(None, followed)), LAST_THREAD]:
        last = {"id": str(ULID()), "type": "reply", "text": END}
        assert send(urlsplit(service.address), ledger, [(thread_id, [last])], timeout=60)
    with Database(url, pool_size=2) as database:
        threads = check_messages(database, ledger)
        for reader in readers:
            reader.wait()
            assert reader.statuses <= {503}, (reader.name, reader.statuses)
            of_one = reader.thread_id if isinstance(reader, Follower) else None
            assert reader.ids == messages_of(database, of_one), reader.name
        for thread_id in threads:
            items = service.get(f"/v1/threads/{thread_id}/views/kernel")["items"]
            assert [item["id"] for item in items] == messages_of(database, thread_id)
        rows = check_read_models(database, service)
    verified = agentlog("verify", url=url)
    assert verified.code == 0, verified
    return Proven(len(ledger.sent), len(threads), rows, sum(reader.breaks for reader in readers))


def check_answers(ledger: Ledger) -> None:
    """See that clients were told nothing but where messages stand, or to try again."""
    breaks = _names_of(OSError) | _names_of(HTTPException) | {"JSONDecodeError"}
    assert not ledger.contradictions
    assert not set(ledger.outcomes) - {"acknowledged", "replayed", "503"} - breaks, ledger.told


def check_messages(database: Database, ledger: Ledger) -> list[str]:
    """See that what was sent is there, once, as and where it was acknowledged, and nothing else.

    What arrives as spans and imports is left to `check_arrivals`.

    Positions, versions, times, links and heads are made anew. Returns the threads.
    """
    check_log(database)
    rows = fetch(
        database,
        "SELECT message_id, thread_id, version, position, agentlog.body_of(tenant, body, cuts) "
        "FROM agentlog.events WHERE thread_id !~ %s",
        PREFIXES,
    )
    places = {row[0]: Place(*row[1:4]) for row in rows}
    assert len(rows) == len(places)
    assert not ledger.places.items() - places.items(), "acknowledged, and not so in the log"
    assert not places.items() - ledger.places.items(), "in the log, and never acknowledged"
    assert places.keys() == ledger.sent.keys()
    for message_id, thread_id, _, _, body in rows:
        sent_to, message = ledger.sent[message_id]
        kept = parse(bytes(body))
        assert isinstance(kept, dict)
        assert thread_id == sent_to
        assert {key: kept[key] for key in message} == message
    return sorted({row[1] for row in rows})


def check_read_models(database: Database, service: ServiceProcess) -> int:
    """See that the rows that came live are those that a rebuild makes; return how many."""
    ((position,),) = fetch(database, "SELECT position FROM agentlog.counter")
    service.get("/v1/projections", wait=position)
    count = 0
    for model in READ_MODELS.values():
        before = live(database, model.name).build
        kept = rows_of(database, model, before)
        service.post(f"/v1/projections/{model.name}/rebuild")
        until = time.monotonic() + WAIT_SECONDS
        while (build := live(database, model.name)).build == before:
            assert time.monotonic() < until, f"{model.name} is not rebuilt"
            time.sleep(0.01)
        assert (build.position, build.standing) == (position, "live")
        assert rows_of(database, model, build.build) == kept, model.name
        count += len(kept)
    return count


def messages_of(database: Database, thread_id: str | None) -> list[str]:
    """Return the ids of a thread's messages in their order, or of all."""
    rows = fetch(
        database,
        "SELECT message_id FROM agentlog.events WHERE thread_id = %s OR %s ORDER BY position",
        thread_id,
        thread_id is None,
    )
    return [row[0] for row in rows]


def _names_of(error: type[BaseException]) -> set[str]:
    names = {error.__name__}
    for subclass in error.__subclasses__():
        names |= _names_of(subclass)
    return names
