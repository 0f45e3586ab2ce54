"""Search: what is found, in which order and context, and that nothing else is."""

import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from agentlog.domain.errors import InvalidCursor
from agentlog.infrastructure.erasure.redactor import Redactor
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.readmodels import builds
from agentlog.infrastructure.readmodels.projection_status import NotYetBuilt
from agentlog.infrastructure.search import index
from agentlog.infrastructure.search.query import InvalidSearch, Query
from agentlog.infrastructure.search.search import Hits, Search
from agentlog.infrastructure.threads import Threads
from agentlog.projections.filters.expression import Expression
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.readmodels.message_words import MessageWords
from tests.infrastructure.appends import last_position, reply, time_of
from tests.infrastructure.erasure.conftest import redactor_on
from tests.infrastructure.readmodels.tables import catch_up
from tests.infrastructure.reports.histories import discard_all
from tests.infrastructure.search.conftest import search_on

Index = Callable[[], None]


def places(hits: Hits) -> list[tuple[str, int]]:
    return [(hit.thread_id, hit.version) for hit in hits.items]


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"type": "tool_calls", "calls": [{"id": f"{name}-1", "name": name, "args": args}]}


def result(name: str, output: Any) -> dict[str, Any]:
    return {"type": "tool_results", "results": [{"name": name, "output": output}]}


def of(text: str) -> Expression:
    """Return a filter of messages."""
    return parse_filter(text, "message")


@pytest.fixture
def talk(threads: Threads, indexed: Index) -> Threads:
    """Two threads about a passenger."""
    threads.start("a", {"policy": "record", "goal": "help mia", "metadata": {"team": "ops"}})
    threads.append("a", [{"type": "input", "text": "I am mia_li_3668, cancel NO6JO3 please"}])
    threads.append("a", [call("get_user", user_id="mia_li_3668")])
    threads.append("a", [result("get_user", '{"name": "Mia Li", "paid": ["gift card"]}')])
    threads.start("b", {"policy": "record", "metadata": {"team": "sales"}})
    threads.append("b", [{"type": "system", "text": "Be kind to every mia_li_36681"}])
    threads.append("b", [reply("Cancelled, dear Mia Li.")])
    indexed()
    return threads


@pytest.mark.usefixtures("talk")
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Query("mia_li_3668"), [("a", 3), ("a", 2)]),
        (Query("mia_li_3668*"), [("b", 2), ("a", 3), ("a", 2)]),
        (Query('"mia_li_3668"'), [("a", 3), ("a", 2)]),
        (Query("MIA li"), [("b", 3), ("a", 4), ("b", 2), ("a", 3), ("a", 2)]),
        (Query('"mia li"'), [("b", 3), ("a", 4)]),
        (Query("cancel"), [("a", 2)]),
        (Query("cancel*"), [("b", 3), ("a", 2)]),
        (Query("please cancel NO6JO3"), [("a", 2)]),
        (Query("cancel mia_li"), [("a", 2)]),
        (Query("help"), [("a", 1)]),
        (Query("ancel"), []),
        (Query("get_user"), [("a", 4), ("a", 3)]),
        (Query("user_id"), [("a", 3)]),
        (Query("mia", of("type:input or type:reply")), [("b", 3), ("a", 2)]),
        (Query("mia", of("role:user or role:tool")), [("a", 4), ("a", 2)]),
        (Query("mia", of("role:user type:reply")), []),
        (Query("mia", of("tool:get_user")), [("a", 4), ("a", 3)]),
        (Query(where=of("tool:get_user or tool:other")), [("a", 4), ("a", 3)]),
        (Query(where=of("tool:get")), []),
        (Query(where=of("tool:get*")), [("a", 4), ("a", 3)]),
        (Query("mia", of("-tool:get_user -type:reply")), [("b", 2), ("a", 2), ("a", 1)]),
        (Query("mia", threads=["b"]), [("b", 3), ("b", 2)]),
        (Query("mia", of("type:reply"), threads=["b", "c"]), [("b", 3)]),
        (Query("mia", metadata={"team": "sales"}), [("b", 3), ("b", 2)]),
        (Query("mia", metadata={"team": "none"}), []),
        (Query(where=of("type:system")), [("b", 2)]),
        (Query(where=of('$.calls[?@.args.user_id == "mia_li_3668"]')), [("a", 3)]),
        (Query("mia", of("$.text")), [("b", 3), ("b", 2), ("a", 2)]),
        (Query(where=of('$.text $[?@ == "reply"]')), [("b", 3)]),
        (Query(where=of("$.args.user_id:mia_li_3668 tool:get_user")), [("a", 3)]),
        (Query(where=of("$.args.user_id:nobody or role:system")), [("b", 2)]),
        (Query("{"), [("a", 4)]),
    ],
    ids=str,
)
def test_what_matches_every_filter_is_found_newest_first(
    search: Search, query: Query, expected: list[tuple[str, int]]
) -> None:
    assert places(search.find(query)) == expected


@pytest.mark.usefixtures("talk")
def test_without_any_filter_all_messages_are_found(search: Search, database: Database) -> None:
    hits = search.find(Query())
    assert len(hits.items) == last_position(database) == hits.as_of
    assert hits.next is None


def test_times_are_the_stores_and_the_end_does_not_count(talk: Threads, search: Search) -> None:
    events = talk.log()
    first, last = time_of(events[0]), time_of(events[-1])
    assert len(search.find(Query(begin=first, end=last + timedelta(1))).items) == len(events)
    before = [event.position for event in events if time_of(event) < last]
    assert len(search.find(Query(end=last)).items) == len(before)
    assert places(search.find(Query(begin=last + timedelta(1)))) == []
    assert places(search.find(Query(end=first))) == []
    with pytest.raises(InvalidSearch, match="from: must be before to"):
        Query(begin=last, end=last)


@pytest.mark.usefixtures("talk")
def test_a_hit_shows_where_in_the_message_it_is(search: Search) -> None:
    (hit,) = search.find(Query('"mia_li_3668"', of("type:tool_calls"))).items
    assert (hit.type, hit.role, hit.tools) == ("tool_calls", "assistant", ["get_user"])
    (excerpt,) = hit.excerpts
    assert (excerpt.place, excerpt.text) == ("calls[0].args.user_id", "mia_li_3668")
    assert excerpt.ranges == [(0, 11)]
    (hit,) = search.find(Query(where=of("$.calls[*].args.user_id"))).items
    assert [(excerpt.place, excerpt.text, excerpt.ranges) for excerpt in hit.excerpts] == [
        ("calls[0].args.user_id", "mia_li_3668", ())
    ]


def test_a_phrase_comes_before_its_words_scattered_and_words_are_whole(
    threads: Threads, search: Search, indexed: Index
) -> None:
    phrase = "payment amount does not add up"
    threads.append("t", [reply(f"Error: {phrase}, paid 1")])
    threads.append("t", [reply("update the amount that payment does not add")])
    threads.append("t", [reply("up to an amount, add what the payment does not cover")])
    threads.append("t", [reply(f"again: {phrase}, paid 2")])
    indexed()
    expected = [("t", 4), ("t", 1), ("t", 3)]
    for limit in (1, 2, 3, 20):
        shown: list[tuple[str, int]] = []
        after: str | None = None
        while True:
            page = search.find(Query(phrase), after=after, limit=limit)
            shown += places(page)
            after = page.next
            if after is None:
                break
        assert shown == expected
    assert places(search.find(Query(f'"{phrase}"'))) == [("t", 4), ("t", 1)]
    with pytest.raises(InvalidCursor):
        search.find(Query(phrase), after="phrase-")


def test_an_excerpt_is_what_stands_around_the_first_match(
    threads: Threads, search: Search, indexed: Index
) -> None:
    threads.append("t", [reply("é" * 200 + " Find find fin FINDER " + "y" * 200)])
    indexed()
    (hit,) = search.find(Query("find* finder")).items
    (excerpt,) = hit.excerpts
    assert [excerpt.text[begin:end] for begin, end in excerpt.ranges] == ["Find", "find", "FINDER"]
    assert excerpt.text.startswith("é" * 79 + " Find")
    assert len(excerpt.text) == 80 + 4 + 80


def test_every_part_is_shown_and_three_excerpts_at_most(
    threads: Threads, search: Search, indexed: Index
) -> None:
    threads.append("t", [{"type": "acme.note", "payload": ["one"] * 9 + ["two"]}])
    indexed()
    (hit,) = search.find(Query("one two")).items
    assert [excerpt.place for excerpt in hit.excerpts] == ["payload[0]", "payload[9]", "payload[1]"]


def test_pages_have_no_gaps_and_no_repeats_while_the_log_grows(
    threads: Threads, search: Search, indexed: Index, database: Database
) -> None:
    for number in range(30):
        threads.append(f"t-{number % 3}", [reply(f"needle {number}"), reply("hay")])
    indexed()
    seen: list[tuple[str, int]] = []
    after, pages = None, 0
    while True:
        hits = search.find(Query("needle"), after=after, limit=4)
        assert len(hits.items) <= 4
        assert hits.as_of == last_position(database)
        seen += places(hits)
        pages += 1
        if hits.next is None:
            break
        after = hits.next
        threads.append("t-0", [reply("needle, too late")])
        indexed()
    assert pages == 8
    assert seen == sorted({*seen}, key=seen.index)
    assert len(seen) == 30


@pytest.mark.parametrize("many", [1, 2, 3, 1000])
@pytest.mark.parametrize("only", [[], ["a"], ["b"]])
def test_metadata_of_few_threads_and_of_many_find_the_same(
    talk: Threads, search: Search, monkeypatch: pytest.MonkeyPatch, many: int, only: list[str]
) -> None:
    monkeypatch.setattr(index, "_MANY_THREADS", many)
    talk.annotate("b", {"team": "ops", "more": True})
    for metadata, expected in ({"team": "ops"}, "ab"), ({"more": True}, "b"), ({"more": 1}, ""):
        hits = search.find(Query("mia", metadata=metadata, threads=only)).items
        assert {hit.thread_id for hit in hits} == set(expected) & set(only or "ab")


@pytest.mark.parametrize("reach", [1, 7, 1000])
def test_the_index_is_used_where_walking_finds_few(
    threads: Threads, search: Search, indexed: Index, monkeypatch: pytest.MonkeyPatch, reach: int
) -> None:
    monkeypatch.setattr("agentlog.infrastructure.search.search._FIRST_ROWS", reach)
    threads.append("t", [reply("rare" if number % 50 == 3 else "often") for number in range(200)])
    indexed()
    for word, count in (("rare", 4), ("often", 196), ("never", 0)):
        assert len(search.find(Query(word), limit=100).items) == min(count, 100)
        assert len(search.find(Query(word, threads=["t"]), limit=100).items) == min(count, 100)


def test_an_answer_is_of_what_the_index_has(
    threads: Threads, search: Search, indexed: Index, database: Database
) -> None:
    discard_all(database)
    with pytest.raises(NotYetBuilt):
        search.find(Query("one"))
    threads.append("t", [reply("one")])
    indexed()
    threads.append("t", [reply("one")])
    hits = search.find(Query("one"))
    assert (places(hits), hits.as_of) == ([("t", 1)], 1)
    with database.connection() as connection:
        builds.begin(connection, MessageWords())
    indexed()
    assert places(search.find(Query("one"))) == [("t", 2), ("t", 1)]


def test_a_rebuild_meanwhile_changes_no_answer(
    threads: Threads, search: Search, indexed: Index, database: Database
) -> None:
    threads.append("t", [reply("one")])
    indexed()
    done = threading.Event()

    def rebuild() -> None:
        while not done.is_set():
            with database.connection() as connection:
                builds.begin(connection, MessageWords())
            catch_up(database, MessageWords())

    worker = threading.Thread(target=rebuild)
    worker.start()
    try:
        for _ in range(50):
            assert places(search.find(Query("one"))) == [("t", 1)]
    finally:
        done.set()
        worker.join()


def test_another_tenant_finds_nothing(talk: Threads, search: Search, database: Database) -> None:
    stranger = search_on(database, tenant="strangers")
    for query in (Query("mia"), Query(), Query(threads=["a"]), Query(where=of("$..*"))):
        hits = stranger.find(query)
        assert (hits.items, hits.next) == ([], None)
        assert search.find(query).items
    confined = Search(database.confined("strangers"), tenant="strangers", searched=database)
    assert confined.find(Query(metadata={"team": "ops"})).items == []
    assert talk.head("a").version == 4


@pytest.fixture
def redactor(database: Database, threads: Threads) -> Redactor:
    return redactor_on(database, threads)


def test_what_was_erased_is_not_found(
    talk: Threads, search: Search, redactor: Redactor, indexed: Index
) -> None:
    ours = Query("mia", threads=["a"])
    assert places(search.find(ours)) == [("a", 4), ("a", 3), ("a", 2), ("a", 1)]
    named = talk.messages("a")[1].message_id
    redactor.redact("a", [named], "asked for")
    assert places(search.find(ours)) == [("a", 4), ("a", 3), ("a", 1)]
    redactor.redact("a", None, "asked for")
    for _ in range(2):  # before and after the projection has come to it
        for query in (ours, Query("redacted"), Query("get_user"), Query(where=of("tool:get_user"))):
            assert places(search.find(query)) == []
        assert {item.type for item in search.find(Query(threads=["a"])).items} <= {
            "thread.redacted"
        }
        assert {
            item.type for item in search.find(Query(threads=["a"], where=of("$..*"))).items
        } <= {"thread.redacted"}
        indexed()
    assert places(search.find(Query("mia"))) == [("b", 3), ("b", 2)]


def test_rows_that_an_erasure_has_not_reached_show_nothing(
    talk: Threads, search: Search, redactor: Redactor, database: Database
) -> None:
    with database.connection() as connection:
        connection.execute("CREATE TABLE kept AS TABLE agentlog_readmodels.message_words_1")
        redactor.redact("a", None, "asked for")
        connection.execute("TRUNCATE agentlog_readmodels.message_words_1")
        connection.execute("INSERT INTO agentlog_readmodels.message_words_1 TABLE kept")
    assert places(search.find(Query("mia", threads=["a"]))) == []
    assert talk.head("a").version == 5


def test_long_texts_and_odd_characters_are_found(
    threads: Threads, search: Search, indexed: Index
) -> None:
    filler = " ".join(f"w{number}" for number in range(60_000))
    odd = "nul\x00 東京\u2028 \U0001f600 quote'back\\slash"
    threads.start("t", {"policy": "record"})
    threads.append("t", [{"type": "system", "text": f"{filler} needle\x00end {odd}"}])
    threads.append("t", [result("f", [{"text": f"{filler} needle"}])])
    threads.append("t", [{"type": "system", "text": "x" * 1_000_001 + " beyond"}])
    indexed()
    for text in ("needle", "w59999 needle", "w1 w59999"):
        assert places(search.find(Query(text))) == [("t", 3), ("t", 2)]
    for text in (
        "needle\x00e*",
        "京",
        "東京",
        "\U0001f600",
        "quote'back\\sl*",
        "back\\slash nul\x00",
    ):
        assert places(search.find(Query(text))) == [("t", 2)], text
    assert places(search.find(Query("x" * 900 + "*"))) == [("t", 4)]
    assert places(search.find(Query("beyond"))) == []


def test_files_are_not_searched_but_their_names_are(
    threads: Threads, search: Search, indexed: Index
) -> None:
    data = "Zm9v" * 500
    threads.append("t", [{"type": "input", "files": [{"data": data, "filename": "plan.pdf"}]}])
    indexed()
    assert places(search.find(Query("zm9v"))) == []
    assert places(search.find(Query("plan"))) == [("t", 1)]


def test_a_search_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidSearch, match="q: longer than 1000 characters"):
        Query("x" * 1001)
