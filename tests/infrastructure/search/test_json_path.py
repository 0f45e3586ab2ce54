"""JSONPath as a predicate: RFC 9535 without regular expressions, bounded in time."""

import itertools
import time
from collections.abc import Callable
from typing import Any

import pytest

from agentlog.domain.json.places import path
from agentlog.domain.json.text import parse
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search import search as searching
from agentlog.infrastructure.search.json_path import InvalidJsonPath, PathTooSlow, Predicate
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Search
from agentlog.infrastructure.threads import Threads
from agentlog.projections.filters.grammar import parse_filter
from tests.infrastructure.appends import TENANT, reply


class Over(Exception):
    """The time is over."""


def after(steps: int) -> Callable[[], None]:
    counted = itertools.count()

    def tick() -> None:
        if next(counted) > steps:
            raise Over

    return tick


def matches(text: str, content: Any) -> list[tuple[str, Any]]:
    places = Predicate(text).matches(content, after(10_000))
    return [(path(place), value) for place, value in places]


CONTENT = parse(
    b'{"type":"tool_calls","calls":[{"id":"a","name":"pay","args":{"sum":1.10,"to":["x","y"]}},'
    b'{"id":"b","name":"now","args":null}]}'
)


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("$", [""]),
        ("$.type", ["type"]),
        ("$.calls[?@.args.sum > 1]", ["calls[0]"]),
        ("$.calls[?@.args.sum == 1.1].name", ["calls[0].name"]),
        ('$.calls[?@.name == "now" && !@.args.sum]', ["calls[1]"]),
        ("$.calls[?length(@.args.to) == 2]", ["calls[0]"]),
        ("$.calls[?count(@.args.*) > 2]", []),
        ("$..to[-1]", ["calls[0].args.to[1]"]),
        ("$.calls[0:5].id", ["calls[0].id", "calls[1].id"]),
        ("$.results", []),
    ],
)
def test_a_path_selects_as_the_standard_says(text: str, places: list[str]) -> None:
    assert [place for place, _ in matches(text, CONTENT)] == places


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("$.calls[?@.name]", {"calls"}),
        ("$['calls', 'id'].name", {"calls", "id"}),
        ("$", None),
        ("$.*", None),
        ("$..id", None),
        ("$['calls', 0]", None),
        ("$[?@.id]", None),
        ("$.calls[?@.id == $.id]", None),
    ],
)
def test_a_path_says_which_members_it_reads(text: str, members: set[str] | None) -> None:
    assert Predicate(text).members == members


@pytest.mark.parametrize(
    "text",
    [
        "",
        "type",
        "$.calls[?@.name == ]",
        "$[?match(@.name, '(a+)+b')]",
        "$[?search(@.name, 'a')]",
        "$[?@.name =~ /a/]",
        "$.a | $.b",
        "$..['x" + "y" * 1000 + "']",
        "$[?" + "(" * 490 + "@.a" + ")" * 490 + "]",
    ],
)
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(InvalidJsonPath, match="where: "):
        Predicate(text)


def nested(levels: int) -> Any:
    value: Any = [0]
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("$" + "[0,0]" * 40, nested(60)),
        ("$" + "[*,*,*]" * 30, nested(60)),
        ("$..[?@..[?@..[?@.x]]]", nested(100)),
        ("$..*..*..*", nested(100)),
        ("$" + "[0:1,0:1]" * 40, nested(60)),
    ],
)
def test_a_path_that_takes_for_ever_is_interrupted(text: str, content: Any) -> None:
    with pytest.raises(Over):
        list(
            Predicate(text).matches(
                {"payload": content} if text[1] != "[" else content, after(5000)
            )
        )


def test_a_message_on_which_it_takes_too_long_is_named(
    threads: Threads, search: Search, indexed: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "SECONDS", 0.2)
    threads.append("t", [{"type": "acme.note", "payload": nested(60)}, reply("newest")])
    indexed()
    began = time.monotonic()
    with pytest.raises(PathTooSlow, match="version 1 of thread 't'"):
        search.find(Query(where=parse_filter("$.payload" + "[0,0]" * 40 + ".x", "message")))
    assert time.monotonic() - began < 2


def test_a_search_that_takes_long_says_how_far_it_came(
    threads: Threads, database: Database, indexed: Callable[[], None]
) -> None:
    threads.append("t", [reply(f"number {number}") for number in range(10)])
    indexed()
    ticks = itertools.count(step=0.1)
    slow = Search(database, tenant=TENANT, searched=database, clock=lambda: next(ticks))
    seen: list[int] = []
    after, pages = None, 0
    while pages == 0 or after is not None:
        hits = slow.find(Query(where=parse_filter("$.text", "message")), after=after)
        assert hits.as_of == 10
        seen += [hit.version for hit in hits.items]
        after, pages = hits.next, pages + 1
    assert seen == list(range(10, 0, -1))
    assert pages > 1
