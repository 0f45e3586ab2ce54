"""Whatever the messages: a search finds what a plain scan over them finds, in pages of any size."""

from typing import Any

from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from infrastructure.postgres.database import Database
from infrastructure.search.query import Query
from infrastructure.search.search import Search
from projections.readmodels.message_words import MessageWords
from tests.databases import new_database
from tests.infrastructure.appends import TENANT
from tests.infrastructure.erasure.conftest import store_on
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
searches = st.lists(texts, min_size=1, max_size=3)


def said(draft: dict[str, Any]) -> list[str]:
    if "payload" in draft:
        ((key, (text,)),) = draft["payload"].items()
        return [key, text]
    return [text for key, text in draft.items() if key != "type"]


def stands(part: str, text: str) -> bool:
    """Say whether a part stands in a text from the beginning of a word, whatever its case."""
    part, text = part.lower(), text.lower()
    spaced = part[0].isalnum() and part[0] not in "日本"
    return any(
        text.startswith(part, at)
        and not (spaced and at and text[at - 1].isalnum() and text[at - 1] not in "日本")
        for at in range(len(text))
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
        store = store_on(database)
        store.append("t", messages)
        others = Search(database, tenant="others", searched=database)
        catch_up(database, MessageWords(), most_events=11)
        search = Search(database, tenant=TENANT, searched=database)
        for text in asked:
            expected = [
                version
                for version, draft in enumerate(messages, 1)
                if all(any(stands(part, each) for each in said(draft)) for part in text.split())
            ]
            found: list[int] = []
            before = None
            while True:
                page = search.find(Query(text), before=before, limit=limit)
                found += [hit.version for hit in page.items]
                before = page.next
                if before is None:
                    break
            assert found == expected[::-1], text
            assert others.find(Query(text)).items == []
