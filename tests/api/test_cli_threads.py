"""The command that lists threads, by their metadata."""

import pytest

from infrastructure.store import Store
from tests.command_line import agentlog


@pytest.fixture
def url(store: Store, shared_database_url: str) -> str:
    """A database with threads of two teams."""
    store.start("number", {"metadata": {"team": "support", "reward": 0}})
    store.start("text", {"metadata": {"team": "support", "reward": "0"}})
    store.start("other", {"metadata": {"team": "sales=a"}})
    return shared_database_url


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["team=support"], ["text", "number"]),
        (["team=support", "reward=0.0"], ["number"]),
        (['reward="0"'], ["text"]),
        (["team=sales=a"], ["other"]),
        (["team="], []),
    ],
)
def test_threads_are_filtered_by_metadata(
    url: str, options: list[str], expected: list[str]
) -> None:
    given = [word for option in options for word in ("--metadata", option)]
    outcome = agentlog("threads", "--json", *given, url=url)
    assert outcome.code == 0
    assert [each["threadId"] for each in outcome.lines] == expected


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["team"], "--metadata team: give KEY=VALUE"),
        (["=support"], "name the key"),
        (["team=a", "team=b"], "metadata.team: given twice"),
    ],
)
def test_metadata_that_says_nothing_clear_is_refused(
    url: str, options: list[str], reason: str
) -> None:
    given = [word for option in options for word in ("--metadata", option)]
    outcome = agentlog("threads", *given, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
