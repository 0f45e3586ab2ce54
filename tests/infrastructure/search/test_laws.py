"""Whatever the messages: a search finds what a plain scan over them finds, in pages of any size."""

from typing import Any

from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.search.query import Query
from agentlog.infrastructure.search.search import Search
from agentlog.projections.readmodels.message_words import MessageWords
from tests.databases import new_database
from tests.infrastructure.appends import TENANT
from tests.infrastructure.erasure.conftest import threads_on
from tests.infrastructure.readmodels.tables import catch_up

WORDS = [
    "mia",
    "Mia",
    "li",
    "mia_li",
    "x",
    "Refund",
    "fund",
    "日本",
    "nul\x00",
    "é",
    "a-b",
    "'",
    "\\",
]
texts = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join) | st.lists(
    st.sampled_from([*WORDS, "_", ".", "7"]), max_size=4
).map("".join)
drafts = st.one_of(
    st.builds(lambda text: {"type": "reply", "text": text}, texts),
    st.builds(lambda one, two: {"type": "reasoning", "title": one, "summary": two}, texts, texts),
    st.builds(lambda key, text: {"type": "a.b", "payload": {key: [text]}}, texts, texts),
    st.builds(lambda text: {"type": "system", "text": f"{'long ' * 200}{text}"}, texts),
)
searches = st.lists(texts | texts.map("{}*".format), min_size=1, max_size=3)


def said(draft: dict[str, Any]) -> list[str]:
    if "payload" in draft:
        ((key, (text,)),) = draft["payload"].items()
        return [key, text]
    return [text for key, text in draft.items() if key != "type"]


def stands(part: str, text: str) -> bool:
    """Say whether a part stands in a text as whole words, or as their beginnings with a `*`."""
    part, text = part.lower(), text.lower()
    is_beginning = is_cut(part)
    part = part[:-1] if is_beginning else part
    ends = [at + len(part) for at in range(len(text)) if text.startswith(part, at)]
    return any(
        not joins(text, end - len(part)) and (is_beginning or not joins(text, end)) for end in ends
    )


def is_cut(part: str) -> bool:
    """Say whether a part is the beginning of a word."""
    return len(part) > 1 and part.endswith("*")


def joins(text: str, place: int) -> bool:
    """Say whether a word goes on at a place."""
    pair = text[max(place - 1, 0) : place + 1] if place else ""
    return len(pair) == 2 and all(
        character.isalnum() and character not in "日本" for character in pair
    )


@settings(max_examples=15)
@drawn(st.lists(drafts, min_size=1, max_size=40), searches, st.integers(1, 7))
def test_what_is_found_is_what_a_scan_finds(
    server_url: str,
    template_database: str,
    messages: list[dict[str, Any]],
    asked: list[str],
    limit: int,
) -> None:
    with (
        new_database(server_url, template=template_database) as url,
        Database(url, pool_size=2) as database,
    ):
        threads = threads_on(database)
        threads.append("t", messages)
        others = Search(database, tenant="others", searched=database)
        catch_up(database, MessageWords(), most_events=11)
        search = Search(database, tenant=TENANT, searched=database)
        for text in asked:
            matching = [
                version
                for version, draft in enumerate(messages, 1)
                if all(any(stands(part, text) for text in said(draft)) for part in text.split())
            ]
            phrase = " ".join(text.split())
            is_ranked = len(text.split()) > 1 and not any(map(is_cut, text.split()))
            phrases = {
                version
                for version in matching
                if is_ranked and any(stands(phrase, text) for text in said(messages[version - 1]))
            }
            expected = sorted(matching, key=lambda version: (version in phrases, version))
            versions: list[int] = []
            after = None
            while True:
                page = search.find(Query(text), after=after, limit=limit)
                versions += [hit.version for hit in page.items]
                after = page.next
                if after is None:
                    break
            assert versions == expected[::-1], text
            assert others.find(Query(text)).items == []
