"""Search over real histories: each mention of a passenger, as a plain scan of the file finds it."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Search
from agentlog.projections.readmodels.message_words import MessageWords
from tests.airline import airline_file, airline_runs
from tests.command_line import agentlog
from tests.databases import new_database
from tests.infrastructure.readmodels.tables import catch_up

TEXTS = ["mia_li_3668", "3668", "NO6JO3", "Gift_Card", "certificate", "emma_kim", "2024-05-15", "$"]


@pytest.fixture(scope="module")
def search(server_url: str, template_database: str) -> Iterator[Search]:
    """A search over all histories."""
    with new_database(server_url, template=template_database) as url:
        choices = ("--format", "openai", "--messages", "$.traj")
        names = ("--thread-id", "airline-{task_id}-{trial}")
        assert agentlog("import", *choices, *names, airline_file(), url=url).code == 0
        with Database(url, pool_size=2, in_role=True) as database:
            catch_up(database, MessageWords(), most_events=1500)
            yield Search(database.confined("default"), tenant="default", searched=database)


def _texts(message: dict[str, Any]) -> Iterator[str]:
    """Yield what one message of the source says, as what it is imported to does."""
    yield message.get("content") or ""
    if message["role"] == "tool":
        yield from (message["name"], message["tool_call_id"])
    for call in message.get("tool_calls") or []:
        yield from (call["id"], call["function"]["name"], call["function"]["arguments"])


USED = {"traj", "task_id", "trial", "reward"}
"""What the import reads of a run; what is left is kept in a message, and found too."""


@pytest.mark.parametrize("text", TEXTS)
def test_each_mention_is_found_and_nothing_else(search: Search, text: str) -> None:
    no_more = r"(?![^\W_])" if text[-1].isalnum() else ""
    mention = re.compile(rf"(?<![^\W_]){re.escape(text)}{no_more}", re.IGNORECASE)
    expected: Counter[str] = Counter()
    for run in airline_runs():
        for message in run["traj"]:
            said = list(_texts(message))
            split = [said[:1], said[1:]] if message["role"] == "assistant" else [said]
            thread_id = f"airline-{run['task_id']}-{run['trial']}"
            expected[thread_id] += sum(any(map(mention.search, part)) for part in split)
        beside = {key: value for key, value in run.items() if key not in USED}
        expected[thread_id] += mention.search(json.dumps(beside)) is not None
    counts: Counter[str] = Counter()
    after = None
    while True:
        page = search.find(Query(text), after=after, limit=100)
        counts.update(hit.thread_id for hit in page.items)
        for hit in page.items:
            for excerpt in hit.excerpts:
                for begin, end in excerpt.ranges:
                    assert excerpt.text[begin:end].lower() == text.lower()
        after = page.next
        if after is None:
            break
    assert counts == +expected
    assert counts
