"""The links that PostgreSQL makes of a batch are those that the domain makes."""

from random import Random

import pytest

from agentlog.domain.integrity.hash_chain import (
    GENESIS,
    around_time,
    beginning,
    digest,
    link_at,
    time_in_link,
)
from agentlog.infrastructure.appending.append_request import Appended, AppendRequest
from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.binary_arrays import byte_strings, integers
from agentlog.infrastructure.postgres.database import Database
from tests.infrastructure.appends import TENANT, calls, check_log, fetch, reply

THREADS = ("a", "b", "with:colons:1:", "ärger/😀", "c" * 120)


@pytest.mark.parametrize("seed", range(4))
def test_batches_of_any_shape_have_the_links_of_the_domain(
    writer: Writer, database: Database, seed: int
) -> None:
    random = Random(seed)  # noqa: S311 - drawn, not secret
    appended = 0
    for _ in range(15):
        asked = [
            AppendRequest(TENANT, random.choice(THREADS), _drafts(random))
            for _ in range(random.randint(1, 8))
        ]
        outcomes = writer.append_many(asked)
        appended += sum(
            len(outcome.messages) for outcome in outcomes if isinstance(outcome, Appended)
        )
    onward, holding = (
        writer.meters.registry.get_sample_value("agentlog_commits_total", {"way": way}) or 0
        for way in ("onward", "holding")
    )
    assert onward > holding
    assert fetch(database, "SELECT count(*) FROM agentlog.events") == [(appended,)]
    check_log(database)


def _drafts(random: Random) -> list[dict[str, object]]:
    texts = [random.choice(["x", "\x00 and ü", "long " * 900]) for _ in range(random.randint(1, 4))]
    drafts = [reply(text, metadata={"n": random.random()}) for text in texts]
    return [*drafts, calls(f"call-{random.getrandbits(64)}")] if random.random() < 0.3 else drafts


def test_the_function_makes_what_the_domain_makes(database: Database) -> None:
    places = [
        around_time(
            tenant="t",
            thread_id=thread,
            version=number,
            position=number * 10**12,
            type_name="reply",
            message_id=f"id-{number}",
            body_digest=digest(b"%d" % number),
            metadata_digest=digest(b""),
            left=digest(b"") if number % 2 else None,
        )
        for number, thread in enumerate("abab", 1)
    ]
    with database.connection() as connection, connection.cursor(binary=True) as cursor:
        row = cursor.execute(
            "SELECT now(), agentlog.links(now(), %s, %s, %s, %s)",
            (
                byte_strings([GENESIS, digest(b"before"), b"", b""]),
                integers([None, None, 1, 2]),
                byte_strings([before for before, _ in places]),
                byte_strings([after for _, after in places]),
            ),
        ).fetchone()
    assert row is not None
    recorded_at, links = row
    time = time_in_link(recorded_at)
    chains = [GENESIS, digest(b"before")]
    for before, after in places:
        chains.append(link_at(chains[-2], before, time, after))
    assert links == chains[2:]
    assert beginning(GENESIS) == b"16:agentlog-chain-132:" + GENESIS
