"""The ceiling of what one request reads."""

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context

import pytest

from agentlog.domain.errors import AgentlogError
from agentlog.infrastructure.runtime.request_work import (
    ClientLeft,
    RequestWork,
    TooMuchRead,
    spend,
)

MOST = {"most_rows": 10, "most_bytes": 100, "most_seconds": 5.0}


def test_what_is_read_for_no_request_has_no_ceiling() -> None:
    spend(10**9, 10**12)


@pytest.mark.parametrize(
    ("rows", "size", "said"), [(6, 1, "10 rows"), (1, 60, "100 bytes"), (6, 60, "10 rows")]
)
def test_what_is_beyond_a_ceiling_is_refused_with_what_to_ask_for(
    rows: int, size: int, said: str
) -> None:
    work = RequestWork(**MOST)
    with work.counted():
        spend(rows, size)
        with pytest.raises(TooMuchRead, match=said) as refused:
            spend(rows, size)
        assert "pages" in str(refused.value)
        spend(rows, size)  # its refusal is put on record
    spend(rows, size)


def test_time_counts_too() -> None:
    now = [0.0]
    work = RequestWork(**MOST, ticks=lambda: now[0])
    with work.counted():
        spend()
        now[0] = 5.1
        with pytest.raises(TooMuchRead, match="5 s"):
            spend()


@pytest.mark.parametrize("error", [ClientLeft, TooMuchRead])
def test_a_thread_of_the_request_spends_of_the_same(error: type[AgentlogError]) -> None:
    work = RequestWork(**MOST, is_gone=lambda: error is ClientLeft)
    with work.counted(), ThreadPoolExecutor(1) as pool:
        reading = pool.submit(copy_context().run, spend, 11)
        with pytest.raises(error):
            reading.result()


def test_a_task_that_outlives_its_request_has_no_ceiling() -> None:
    work = RequestWork(**MOST)
    with work.counted():
        outliving = copy_context()
    outliving.run(spend, 1000)
