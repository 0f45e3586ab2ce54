"""The commands that list threads by their metadata, and add to it."""

from collections.abc import Iterator

import pytest

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from tests.command_line import agentlog
from tests.databases import new_database


@pytest.fixture(scope="module")
def url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with threads of two teams."""
    with new_database(server_url, template=template_database) as made:
        with open_service(Settings(database_url=made)) as service:
            service.threads.start("number", {"metadata": {"team": "support", "reward": 0}})
            service.threads.start("text", {"metadata": {"team": "support", "reward": "0"}})
            service.threads.start("other", {"metadata": {"team": "sales=a"}})
        yield made


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_ids_are_whole_however_narrow_the_terminal_is(database_url: str, columns: int) -> None:
    ids = ["a", "long-" * 12 + "id", "x" * 128]
    with open_service(Settings(database_url=database_url)) as service:
        for thread_id in ids:
            service.threads.start(thread_id, {"goal": "to have a goal that is long, " * 9})
    outcome = agentlog("threads", url=database_url, columns=columns)
    assert outcome.code == 0
    for thread_id in ids:
        assert f" {thread_id} " in outcome.out


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("metadata.team:support", ["text", "number"]),
        ("metadata.team:support metadata.reward:0.0", ["number"]),
        ('metadata.reward:"0"', ["text"]),
        ("metadata.team:sales=a", ["other"]),
        ('metadata.team:""', []),
    ],
)
def test_threads_are_filtered_by_metadata(url: str, text: str, expected: list[str]) -> None:
    outcome = agentlog("threads", "--json", "--filter", text, url=url)
    assert outcome.code == 0
    assert [line["threadId"] for line in outcome.lines] == expected


@pytest.mark.parametrize(
    ("options", "spelled"),
    [
        (["--metadata", "team=red", "--status=open"], "--filter 'metadata.team:red status:open'"),
        (["--q", "find it", "--json"], "--filter 'find it'"),
        (["--parent", "boss"], "--filter 'parent:boss'"),
    ],
)
def test_options_of_before_are_refused_with_the_filter_to_write(
    url: str, options: list[str], spelled: str
) -> None:
    outcome = agentlog("threads", *options, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"write {spelled}\n" in outcome.err


def test_a_thread_is_annotated_with_json_values_or_texts(database_url: str) -> None:
    with open_service(Settings(database_url=database_url)) as service:
        service.threads.start("t", {"metadata": {"team": "support", "old": 1}})
    words = ("reward=0.50", "note=not good", 'tags=["a", 1]', "when=", "--remove", "old")
    outcome = agentlog("annotate", "t", *words, url=database_url)
    assert outcome.code == 0, outcome.err
    told = '{"team":"support","reward":0.50,"note":"not good","tags":["a",1],"when":""}'
    assert outcome.out.strip() == told
    assert agentlog("annotate", "t", "team=null", url=database_url).lines[0].get("team") is None
    shown = agentlog("show", "t", "--json", url=database_url).lines
    assert [event["type"] for event in shown[2:]] == ["thread.annotated"] * 2


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["t"], "give KEY=VALUE or --remove KEY"),
        (["t", "a"], "annotate a: give KEY=VALUE"),
        (["t", "=1"], "annotate =1: give KEY=VALUE"),
        (["t", "a=1", "--remove", "a"], "a key is given twice"),
        (["nope", "a=1"], "there is no thread 'nope'"),
    ],
)
def test_an_annotation_that_says_nothing_clear_is_refused(
    url: str, words: list[str], reason: str
) -> None:
    outcome = agentlog("annotate", *words, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
