"""Filters within a thread: terms by a story, words as search finds them, laws of all filters."""

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from agentlog.infrastructure.definitions.rules import Rules
from agentlog.infrastructure.eventlog.reader import LogReader
from agentlog.infrastructure.matches.thread_matches import MatchFinder
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search.json_path import InvalidJsonPath, PathTooSlow
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.views.snapshots.snapshots import Snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.filters.expression import And, Expression, Not, Or
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.filters.terms import terms_of
from agentlog.projections.readmodels.message_words import MessageWords
from tests.databases import new_database
from tests.infrastructure.appends import NOON, TENANT
from tests.infrastructure.erasure.conftest import redactor_on, threads_on
from tests.infrastructure.readmodels.tables import catch_up
from tests.infrastructure.search.conftest import search_on
from tests.infrastructure.search.test_laws import drafts, texts
from tests.projections.filters.drawn import expressions


def matches_on(database: Database, **given: Any) -> MatchFinder:
    reader = LogReader(database, tenant=TENANT)
    return MatchFinder(
        Views(reader, tenant=TENANT, snapshots=Snapshots(database, tenant=TENANT, key=b"key")),
        **given,
    )


def versions(matches: MatchFinder, filter_text: str, **given: Any) -> list[int]:
    page = matches.find("t", parse_filter(filter_text, "thread"), **given)
    return [match.version for match in page.items]


def pay(call_id: str, amount: int) -> dict[str, Any]:
    return {"id": call_id, "name": "pay", "args": {"amount": amount, "to": "Mia Li"}}


STORY: list[dict[str, Any]] = [
    {"type": "thread.started", "policy": "record"},
    {"type": "input", "text": "Pay Mia Li 1200, please", "timestamp": NOON},
    {
        "type": "tool_calls",
        "calls": [
            pay("a", 1200),
            {"id": "b", "name": "Bash", "args": {"command": "cd x; git log"}},
        ],
        "timestamp": NOON + 1000,
    },
    {
        "type": "tool_results",
        "results": [
            {"callId": "b", "output": "commit 1", "error": None},
            {"callId": "a", "output": "", "error": "over the limit"},
        ],
        "timestamp": NOON + 9000,
    },
    {"type": "llm_request", "model": "gpt", "timestamp": NOON + 9000},
    {
        "type": "llm_response",
        "model": "gpt",
        "usage": {"inputTokens": 9000, "outputTokens": 2000, "totalTokens": 11_000},
        "costUsd": 0.25,
        "timestamp": NOON + 9500,
    },
    {"type": "tool_calls", "calls": [pay("c", 900)], "timestamp": NOON + 9600},
    {"type": "worker_spawned", "workerId": "w2", "objective": "look", "timestamp": NOON + 9700},
    {"type": "a.b", "payload": {"score": 0.5, "pay": "Mia"}, "timestamp": NOON + 9800},
    {"type": "runtime_error", "error": "gone", "timestamp": NOON + 9900},
]


@pytest.fixture
def story(threads: Threads, database: Database) -> MatchFinder:
    threads.start("t", {"policy": "record"})
    threads.append("t", STORY[1:])
    return matches_on(database)


@pytest.mark.parametrize(
    ("filter_text", "expected"),
    [
        ("type:tool_calls", [3, 7]),
        ("type:tool*", [3, 4, 7]),
        ("type:thread.started", [1]),
        ("tool:pay", [3, 4, 7]),
        ("tool:pay type:tool_calls", [3, 7]),
        ("tool:git", [3, 4]),
        ("failed", [4, 10]),
        ("tool:pay failed", [4]),
        ("tool:git failed", []),  # another call of the same message did
        ("tool:git succeeded", [4]),
        ("open", [7, 8]),
        ("took>5s", [4]),
        ("took<5s", [6]),
        ("-took<5s", [4]),  # of others it is not known
        ("tokens>10k", [6]),
        ("cost>=0.25", [6]),
        ("worker:w2", [8]),
        ("version>=9", [9, 10]),
        ('"mia li"', [2, 3, 7]),
        ('text:"mia li"', [2, 3, 7]),
        ("mia 1200", [2, 3]),
        ("mia 1200 type:input", [2]),
        ("pleas*", [2]),
        ("pleas", []),
        ("$.args.amount>1000", [3]),
        ("$.args.amount", [3, 7]),
        ("-$.args.amount", [1, 2, 3, 4, 5, 6, 8, 9, 10]),  # one call of 3 has none
        ("$.args.amount>1000 tool:git", []),
        ("$.calls[0].args.amount:900", [7]),
        ("a.b$.payload.score<1", [9]),
        ("$.payload.score<1", [9]),
        ("reply$.payload.score<1", []),
        ('$.calls[?@.name == "pay"]', [3, 7]),
        ("failed or open", [4, 7, 8, 10]),
        ("-(failed or open)", [1, 2, 3, 4, 5, 6, 9]),
    ],
)
def test_a_filter_matches(story: MatchFinder, filter_text: str, expected: list[int]) -> None:
    assert versions(story, filter_text) == expected


def test_rules_are_met_where_the_call_ends(threads: Threads, database: Database) -> None:
    for number in range(4):
        call = {**pay(str(number), 5), "id": str(number)}
        threads.append("t", [{"type": "tool_calls", "calls": [call]}])
        threads.append(
            "t", [{"type": "tool_results", "results": [{"callId": str(number), "output": ""}]}]
        )
    assert versions(matches_on(database), "rule:repeated*") == [6, 8]


def test_a_moment_a_page_and_a_shell_of_the_tenant(story: MatchFinder, database: Database) -> None:
    assert versions(story, "tool:pay", at=None, limit=2) == [3, 4]
    assert versions(story, "tool:pay", after=4) == [7]
    assert versions(story, "tool:git", after=3) == [4]  # the call lies before
    no_shells = matches_on(database, rules=lambda: Rules(shells=()))
    assert versions(no_shells, "tool:git") == []


def test_excerpts_show_what_was_asked_for(story: MatchFinder) -> None:
    page = story.find("t", parse_filter("mia type:input", "thread"))
    ((excerpt,),) = [match.excerpts for match in page.items]
    assert (excerpt.place, excerpt.text) == ("text", "Pay Mia Li 1200, please")
    assert [excerpt.text[begin:end] for begin, end in excerpt.ranges] == ["Mia"]


def test_values_that_a_path_selects_are_shown(story: MatchFinder) -> None:
    page = story.find("t", parse_filter("$.args.amount", "thread"))
    shown = [[(part.place, part.text) for part in match.excerpts] for match in page.items]
    assert shown == [[("args.amount", "1200")], [("args.amount", "900")]]


def test_what_was_erased_matches_no_word_and_no_value(
    story: MatchFinder, threads: Threads, database: Database
) -> None:
    redactor_on(database, threads).redact("t", None, "privacy")
    assert versions(story, "mia or $.args.amount or $.payload") == []
    assert versions(story, "type:tool_calls") == [3, 7]


def test_what_takes_long_answers_with_what_was_found_and_where_to_go_on(
    story: MatchFinder, database: Database
) -> None:
    times = iter(range(0, 1000, 3))
    slow = matches_on(database, clock=lambda: next(times))
    everything, after, pages = [], 0, 0
    while True:
        page = slow.find("t", parse_filter("-nothing", "thread"), after=after)
        everything += [match.version for match in page.items]
        pages += 1
        if page.next is None:
            break
        after = int(page.next)
    assert everything == versions(story, "-nothing") == list(range(1, 11))
    assert pages == len(everything)


def test_a_path_that_takes_too_long_or_is_none_is_refused(
    story: MatchFinder, threads: Threads, database: Database
) -> None:
    with pytest.raises(InvalidJsonPath, match="filter: "):
        versions(story, "$.a[?@.b ==]")
    threads.append("t", [{"type": "a.b", "payload": [[[1] * 20] * 20] * 20}])
    times = iter(range(10**9))
    with pytest.raises(PathTooSlow, match=r"filter: .* version 11"):
        versions(matches_on(database, clock=lambda: next(times)), "$..[?@..x]", after=10)


@settings(max_examples=15)
@drawn(st.lists(drafts, min_size=1, max_size=20), st.lists(texts, min_size=1, max_size=3))
def test_words_match_in_a_thread_what_search_finds_in_it(
    server_url: str, template_database: str, messages: list[dict[str, Any]], words: list[str]
) -> None:
    wanted = [word for word in words if word.strip() and "\x00" not in word and '"' not in word]
    quoted = ['"' + word.replace("\\", "\\\\") + '"' for word in wanted]
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        threads_on(database).append("t", messages)
        catch_up(database, MessageWords(), most_events=500)
        query = Query(" ".join(f'"{word}"' for word in wanted), threads=["t"])
        hits = search_on(database).find(query, limit=100)
        expected = sorted(hit.version for hit in hits.items)
        assert versions(matches_on(database), " ".join(quoted)) == expected


@settings(max_examples=60)
@drawn(expressions(sorted(terms_of("thread"))), expressions(sorted(terms_of("thread"))))
def test_laws_of_all_filters(told: MatchFinder, one: Expression, other: Expression) -> None:
    def matched(where: Expression) -> set[int] | None:
        try:
            return {match.version for match in told.find("t", where).items}
        except InvalidJsonPath:  # drawn paths need be none
            return None

    these, those = matched(one), matched(other)
    assert matched(Not(Not(one))) == these
    if these is None or those is None:
        assert matched(Or((one, other))) is None
    else:
        assert matched(Or((one, other))) == these | those
        both = matched(And((one, other)))
        assert both is not None
        assert both <= these & those  # of a message with several calls, one must match both


@pytest.fixture(scope="module")
def told(server_url: str, template_database: str) -> Any:
    """The story, for reading only."""
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        threads = threads_on(database)
        threads.start("t", {"policy": "record"})
        threads.append("t", STORY[1:])
        yield matches_on(database)
