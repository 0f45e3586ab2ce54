"""The commands note, label and verdict."""

import pytest

from agentlog.api.composition import open_service
from agentlog.infrastructure.settings import Settings
from tests.command_line import agentlog
from tests.infrastructure.appends import STORY


@pytest.fixture
def url(database_url: str) -> str:
    """A database with a closed thread `t`."""
    with open_service(Settings(database_url=database_url)) as service:
        service.threads.append("t", STORY)
        service.threads.close("t")
    return database_url


def test_a_closed_thread_is_noted_labelled_and_judged(url: str) -> None:
    noted = agentlog("note", "t", "paid twice", "--on", "2", "--by", "sam", url=url)
    assert noted.code == 0, noted.err
    (version,) = (line["version"] for line in noted.lines)
    changed = agentlog("note", "t", "paid once", "--replaces", str(version), url=url)
    assert changed.code == 0, changed.err
    assert agentlog("label", "t", "flaky", "old", url=url).lines == [["flaky", "old"]]
    assert agentlog("label", "t", "--remove", "old", url=url).lines == [["flaky"]]
    judged = agentlog("verdict", "t", "fail", "--score", "0.5", "--criterion", "policy", url=url)
    assert judged.code == 0, judged.err
    (state,) = agentlog("view", "t", "remarks", url=url).lines
    (note,), (verdict,) = state["notes"], state["verdicts"]
    assert (note["text"], note["on"], note["edited"]) == ("paid once", 2, version + 1)
    assert (verdict["verdict"], verdict["score"]) == ("fail", 0.5)
    assert agentlog("note", "t", "--replaces", str(version), url=url).code == 0
    assert agentlog("verdict", "t", "--remove", "--criterion", "policy", url=url).code == 0
    (state,) = agentlog("view", "t", "remarks", url=url).lines
    assert (state["notes"], state["verdicts"], state["labels"]) == ([], [], ["flaky"])
    whole = agentlog("verify", url=url)
    assert whole.code == 0, whole.out


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["note", "t"], "give a text, or --replaces VERSION"),
        (["note", "t", "x", "--on", "99"], "version 99 is not there yet"),
        (["note", "t", "x", "--replaces", "1"], "version 1 is no note"),
        (["note", "nope", "x"], "there is no thread 'nope'"),
        (["label", "t"], "give LABEL or --remove LABEL"),
        (["label", "t", " "], "empty, or with space around it"),
        (["verdict", "t"], "give a verdict or --score"),
        (["verdict", "t", "pass", "--remove"], "give a verdict or --score"),
    ],
)
def test_a_remark_that_says_nothing_clear_is_refused(
    url: str, words: list[str], reason: str
) -> None:
    outcome = agentlog(*words, url=url)
    assert (outcome.code, outcome.out) == (2, "")
    assert reason in outcome.err
