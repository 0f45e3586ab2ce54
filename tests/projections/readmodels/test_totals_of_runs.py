"""Figures that a source states of a whole run, beside those of its calls."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.json.text import parse_stored
from agentlog.domain.json.values import object_of
from agentlog.projections.readmodels.thread_sums import settled, stated_in, sums_of
from agentlog.projections.readmodels.threads import ThreadRow, Threads
from tests.histories import examples, history
from tests.infrastructure.appends import started
from tests.projections.readmodels.folding import rows_of

RUN = {"costUsd": 3.0229500000000002, "inputTokens": 560_000, "outputTokens": 9_000}


def row_of(*drafts: dict[str, Any], cuts: Sequence[int] = (), **metadata: Any) -> ThreadRow:
    """Return the row of a thread that began with this metadata, with its figures as they count."""
    begin = started(policy="record", metadata=metadata)
    (row,) = rows_of(Threads(), history(begin, *drafts), cuts)
    stated = stated_in(object_of(parse_stored(row.metadata.encode())))
    return replace(row, **settled(sums_of(row), stated)._asdict())


def answer(**fields: Any) -> dict[str, Any]:
    """Return the response of a model."""
    return {"type": "llm_response", "model": "gpt-4o", **fields}


def test_a_run_that_alone_states_its_figures_has_them() -> None:
    row = row_of(answer(), answer(), **RUN)
    assert (row.cost_usd, row.computed_calls, row.unpriced_calls) == (RUN["costUsd"], 0, 0)
    assert (row.input_tokens, row.output_tokens, row.total_tokens) == (560_000, 9_000, 569_000)
    assert row.model_calls == 2


def test_a_stated_cost_stands_above_a_computed_one() -> None:
    usage = {"inputTokens": 1000, "outputTokens": 100}
    row = row_of(answer(usage=usage), answer(usage=usage, costUsd=0.1), costUsd=0.2)
    assert (row.cost_usd, row.computed_calls) == (0.2, 0)
    assert (row.input_tokens, row.output_tokens) == (2000, 200)


def test_what_all_calls_report_is_their_sum() -> None:
    usage = {"inputTokens": 1000, "outputTokens": 100}
    row = row_of(answer(usage=usage, costUsd=0.1), answer(usage=usage, costUsd=0.5), **RUN)
    assert (row.cost_usd, row.input_tokens) == (0.6, 2000)


@pytest.mark.parametrize("stated", ["3", -1, True, None, 10**400])
def test_what_is_no_figure_states_nothing(stated: Any) -> None:
    row = row_of(answer(), costUsd=stated, inputTokens=stated)
    assert (row.cost_usd, row.input_tokens, row.unpriced_calls) == (None, None, 1)


ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "costUsd": st.sampled_from([0.25, 0.5]),
        "usage": st.just({"inputTokens": 1000, "outputTokens": 100}),
        "metadata": st.sampled_from([{"responseId": "r1"}, {"responseId": "r2"}]),
    },
)


@given(fields=st.lists(ANSWERS, min_size=1, max_size=6))
@examples(40)
def test_a_row_is_the_same_read_at_once_or_event_by_event(fields: list[dict[str, Any]]) -> None:
    answers = [answer(**more) for more in fields]
    row = row_of(*answers, **RUN)
    assert row_of(*answers, cuts=range(1, len(answers) + 1), **RUN) == row
    reported = [more["costUsd"] for more in fields if "costUsd" in more]
    if len(reported) < len(fields) and not any("metadata" in more for more in fields):
        assert row.cost_usd == RUN["costUsd"]
