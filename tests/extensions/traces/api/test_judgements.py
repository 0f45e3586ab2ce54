"""Scores of Langfuse and feedback of LangSmith as remarks: nothing of them is lost."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.drafts import prepare_fact
from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.text import parse_stored
from agentlog.extensions.traces.api.judgements import remark_of_feedback, remark_of_score
from tests.histories import json_values, texts

LONG = "so it went " * 20


@pytest.mark.parametrize(
    ("score", "expected"),
    [
        ({"name": "accuracy", "value": 0.5}, ("accuracy", None, 0.5)),
        ({"name": "good", "value": True}, ("good", None, 1)),
        ({"name": "mood", "value": "calm", "comment": "why"}, ("mood", "calm", None)),
        ({"name": LONG, "value": 1}, (f"{LONG[:55]}…9a2d6b1c", None, 1)),
        ({"value": 1}, ("langfuse", None, 1)),  # no verdict on the run as a whole
    ],
)
def test_a_score_with_a_figure_or_a_word_is_a_verdict(
    score: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    remark = remark_of_score(score)
    assert remark["type"] == "thread.judged"
    assert (remark.get("criterion"), remark["verdict"], remark["score"]) == expected
    assert remark.get("comment") == score.get("comment")
    assert remark["metadata"] == {"source": "langfuse", "langfuse": score}


def test_feedback_may_have_a_figure_and_a_word() -> None:
    remark = remark_of_feedback({"key": "tone", "score": 1, "value": "warm", "comment": "nice"})
    assert (remark["criterion"], remark["verdict"], remark["score"]) == ("tone", "warm", 1)
    assert remark["comment"] == "nice"


@pytest.mark.parametrize(
    ("remark", "text"),
    [
        (remark_of_score({"name": "report", "value": LONG}), f"report: {LONG}"),
        (remark_of_feedback({"key": "note", "comment": "it lied"}), "note: it lied"),
        (remark_of_feedback({"key": "fix", "value": {"city": "Rome"}}), 'fix: {"city":"Rome"}'),
        (remark_of_feedback({"id": "x"}), '{"id":"x"}'),
    ],
)
def test_what_has_neither_is_a_note(remark: dict[str, Any], text: str) -> None:
    assert (remark["type"], remark["text"]) == ("thread.noted", text)


def test_what_is_sent_again_has_the_same_id_and_what_changed_another() -> None:
    first, again, other = (
        remark_of_score({"id": "a", "name": "n", "value": value}) for value in (1, 1, 2)
    )
    assert first["id"] == again["id"] != other["id"]


wild = st.dictionaries(
    st.sampled_from(["name", "key", "value", "score", "comment", "id", "run_id"]) | texts,
    json_values,
    max_size=6,
)


@given(wild)
def test_whatever_was_said_is_a_remark_or_refused_with_its_place(
    given_fields: dict[str, Any],
) -> None:
    for remark in (remark_of_score(given_fields), remark_of_feedback(given_fields)):
        flaws: list[str] = []
        try:
            prepared = prepare_fact(remark, message_id="", timestamp=0)
            assert parse_stored(prepared.metadata or b"") == remark["metadata"]
        except InvalidMessage as error:
            flaws = [flaw.place for flaw in error.flaws]
        assert flaws in ([], ["score"])  # a figure larger than any float
