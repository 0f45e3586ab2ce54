"""The command find: hits with their places, marked, in pages, as over HTTP."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from agentlog.infrastructure.postgres.database import Database
from tests.api.conftest import threads_over
from tests.command_line import agentlog, as_words
from tests.databases import new_database
from tests.infrastructure.audit.conftest import Owner

ID = "mia_li_3668"
BOOKED = {"id": "c", "name": "book", "args": {"user": ID, "note": f"line\n{ID}\x1b[2J"}}
LONG = {"type": "log", "text": "filler " * 60 + f"is {ID} there?"}
THREADS: Mapping[str, Sequence[dict[str, Any]]] = {
    "trip": [{"type": "input", "text": f"I am {ID}"}, {"type": "tool_calls", "calls": [BOOKED]}],
    "other": [{"type": "input", "text": "mia_lim_3668"}, LONG],
    "many": [{"type": "log", "text": f"number {number}"} for number in range(120)],
}


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database whose read model has not been built when the first command comes."""
    with (
        new_database(server_url, template=template_database) as made,
        Database(made, pool_size=2) as database,
    ):
        threads = threads_over(database, tenant="default")
        for thread_id, messages in THREADS.items():
            threads.append(thread_id, messages)
        yield made


def hits(url: str, *arguments: str) -> list[tuple[str, int]]:
    outcome = agentlog("find", *arguments, "--json", url=url)
    assert outcome.code == 0
    (answer,) = outcome.lines
    return [(item["threadId"], item["version"]) for item in answer["items"]]


def test_hits_stand_with_their_places_and_whole_in_a_pipe(url: str) -> None:
    outcome = agentlog("find", ID, url=url, columns=20)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert [line.split("  ")[:3] for line in lines if line[:1].isalpha()][:-1] == [
        ["other", "version 2", "@4"],
        ["trip", "version 2", "@2"],
        ["trip", "version 1", "@1"],
    ]
    assert f"        calls[0].args.user: {ID}" in lines
    assert f"        calls[0].args.note: line {ID}\\x1b[2J" in lines
    assert any(line.startswith("        text: ") and f"is {ID} there?" in line for line in lines)
    assert lines[-1] == "as of position 124 of the log"
    assert "\x1b" not in outcome.out


def test_matches_are_bold_on_a_terminal(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    outcome = agentlog("find", ID, "--filter", "thread:trip", url=url)
    assert outcome.out.count(f"\x1b[1m{ID}\x1b[0m") == 3
    assert "\x1b[2J" not in outcome.out


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([ID, "--where", "type:input"], [("trip", 1)]),
        ([ID, "--where", "tool:book"], [("trip", 2)]),
        ([ID, "--where", "role:user or role:assistant"], [("trip", 2), ("trip", 1)]),
        ([ID, "--filter", "thread:other"], [("other", 2)]),
        ([ID, "--filter", "metadata.team:none"], []),
        ([ID, "--filter", "open"], [("other", 2), ("trip", 2), ("trip", 1)]),
        ([ID, "--to", "2001-01-01"], []),
        (['"is mia_li_3668"', "--from", "2001-01-01"], [("other", 2)]),
        (["--where", f'$.calls[?@.args.user == "{ID}"]'], [("trip", 2)]),
    ],
    ids=as_words,
)
def test_options_are_those_of_http(
    url: str, options: list[str], expected: list[tuple[str, int]]
) -> None:
    assert hits(url, *options) == expected


def test_pages_are_followed_up_to_the_limit_which_says_how_to_go_on(url: str) -> None:
    outcome = agentlog("find", "--filter", "thread:many", "--limit", "110", "--json", url=url)
    (answer,) = outcome.lines
    assert [item["version"] for item in answer["items"]] == list(range(120, 10, -1))
    assert (answer["asOf"], answer["next"]) == (124, "15")
    assert outcome.err == "there are more: go on with --after 15\n"
    rest = hits(url, "--filter", "thread:many", "--after", "15")
    assert rest == [("many", version) for version in range(10, 0, -1)]


def test_a_search_that_takes_long_says_how_to_go_on(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert hits(url, ID) != []
    monkeypatch.setattr("agentlog.infrastructure.search.search.SECONDS", 0.0)
    outcome = agentlog("find", ID, url=url)
    assert outcome.out.count(ID) == 1
    assert outcome.err == "the search takes long: go on with --after 4\n"


def test_what_was_just_appended_is_found_unless_nobody_waits(database_url: str) -> None:
    asked = ("find", "hello", "--no-wait", "--json")
    outcome = agentlog(*asked, url=database_url)
    assert outcome.code == 2
    assert "not built yet" in outcome.err
    assert hits(database_url, "hello") == []
    with Database(database_url, pool_size=2) as database:
        threads_over(database, tenant="default").append(
            "new", [{"type": "reply", "text": "Hello!"}]
        )
    nothing = {"items": [], "asOf": 0, "searchedAfter": None, "next": None}
    assert agentlog(*asked, url=database_url).lines == [nothing]
    assert hits(database_url, "hello") == [("new", 1)]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--where", "role:clerk"], "where: role is one of system, user, assistant, tool"),
        (["--where", "$.[*]"], "where: '$.[*]' is no JSONPath (RFC 9535)"),
        (["--from", "now"], "from: 'now' is no date"),
        (["--role", "user", "--type", "reply"], "role, type: write --where 'role:user type:reply'"),
        (["--thread", "t"], "thread: write --filter 'thread:t'"),
        (["--where", "$.a", "--where", "$.b"], "where: write one, with all terms"),
    ],
    ids=as_words,
)
def test_what_cannot_be_searched_for_is_refused(url: str, options: list[str], reason: str) -> None:
    outcome = agentlog("find", *options, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"agentlog: {reason}")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nowhere", "no message matches\n"),
        ("a.*b", "no message matches: the text is searched for as it stands, it is no regular"),
    ],
)
def test_a_search_without_a_hit_says_so(url: str, text: str, reason: str) -> None:
    outcome = agentlog("find", text, url=url)
    assert (outcome.code, outcome.out) == (0, "as of position 124 of the log\n")
    assert outcome.err.startswith(reason)


def test_what_is_too_old_to_be_searched_is_said(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert agentlog("find", ID, url=url).code == 0
    with Database(url, pool_size=1) as database:
        Owner(database).do(
            "UPDATE agentlog.events SET recorded_at = '2026-01-02' WHERE thread_id = 'trip'"
        )
    monkeypatch.setenv("AGENTLOG_SEARCH_DAYS", "30")
    assert agentlog("projections", "rebuild", "message_words", url=url).code == 0
    lines = agentlog("find", ID, url=url).out.splitlines()
    assert [line.split("  ")[0] for line in lines if "version" in line] == ["other"]
    left_out = "messages up to 2026-01-02T00:00:00.000000Z are not searched"
    assert lines[-1] == f"{left_out}: AGENTLOG_SEARCH_DAYS"
    verified = agentlog("verify", "--derived", url=url).out
    assert "not checked: words of events up to position" in verified
    monkeypatch.delenv("AGENTLOG_SEARCH_DAYS")
    assert agentlog("projections", "rebuild", "message_words", url=url).code == 0
    assert "are not searched" not in agentlog("find", ID, url=url).out
    assert "not checked: words" not in agentlog("verify", "--derived", url=url).out
