"""Fresh message ids: valid, none twice, each greater than the one before."""

import secrets
from concurrent.futures import ThreadPoolExecutor

import pytest
from ulid import ULID

from agentlog.domain.identifiers import Ulids, is_message_id
from tests.infrastructure.appends import NOON, Clock


def test_an_id_says_when_it_was_made() -> None:
    made = ULID.from_str(Ulids(Clock(), secrets.randbits)())
    assert made.milliseconds == NOON


def test_ids_of_one_millisecond_rise() -> None:
    new_id = Ulids(Clock(), secrets.randbits)
    made = [new_id() for _ in range(10_000)]
    assert made == sorted(set(made))


def test_ids_rise_with_the_clock_and_where_it_is_set_back() -> None:
    clock = Clock()
    new_id = Ulids(clock, secrets.randbits)
    made = []
    for now in (NOON, NOON + 1, NOON - 60_000, NOON + 2):
        clock.now = now
        made += [new_id(), new_id()]
    assert made == sorted(set(made))


@pytest.mark.parametrize("noise", [0, 2**80 - 1])
def test_ids_rise_where_a_millisecond_has_no_more(noise: int) -> None:
    new_id = Ulids(Clock(), lambda _: noise)
    before = ""
    for _ in range(2**20 + 2):
        before, now = new_id(), before
        assert now < before
    assert is_message_id(before)


def test_threads_never_get_the_same() -> None:
    new_id = Ulids(Clock(), secrets.randbits)
    with ThreadPoolExecutor(8) as threads:
        made = [
            message_id
            for part in threads.map(lambda _: [new_id() for _ in range(2000)], range(8))
            for message_id in part
        ]
    assert len(set(made)) == len(made)
