"""Parts of a usage: each token once."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentlog.domain.messages import TokenUsage
from agentlog.domain.usage import Parts, parts_of, wholes_of
from tests.histories import examples

COUNTS = st.integers(0, 10_000)
PARTS = st.builds(Parts, *[COUNTS] * len(Parts._fields))


def usage_of(parts: Parts, **changes: Any) -> TokenUsage:
    """Return a usage as the catalogue means it."""
    figures: dict[str, Any] = {
        "input_tokens": sum(parts[:5]),
        "output_tokens": sum(parts[5:]),
        "total_tokens": sum(parts),
        "cached_input_tokens": parts.read,
        "cache_write_tokens": parts.written + parts.written_1h,
        "cache_write_1h_tokens": parts.written_1h,
        "input_audio_tokens": parts.audio,
        "reasoning_tokens": parts.thoughts,
        "output_audio_tokens": parts.output_audio,
    }
    return TokenUsage(**(figures | changes))


@given(parts=PARTS)
@examples(60)
def test_the_parts_of_a_usage_are_disjoint_and_sum_up_to_its_wholes(parts: Parts) -> None:
    assert parts_of(usage_of(parts)) == parts


@given(parts=PARTS, cache_beside=st.booleans(), thoughts_beside=st.booleans())
@examples(60)
def test_a_total_tells_that_parts_were_counted_beside(
    parts: Parts, *, cache_beside: bool, thoughts_beside: bool
) -> None:
    cached = parts.read + parts.written + parts.written_1h
    usage = usage_of(
        parts,
        input_tokens=sum(parts[:5]) - cached * cache_beside,
        output_tokens=sum(parts[5:]) - parts.thoughts * thoughts_beside,
    )
    whole = wholes_of(usage)
    assert whole.input is not None
    assert whole.output is not None
    assert whole.input + whole.output == sum(parts)


@pytest.mark.parametrize(
    "figures",
    [
        {"input_tokens": 5},
        {"output_tokens": 5},
        {"input_tokens": 5, "output_tokens": 5, "cached_input_tokens": 6},
        {"input_tokens": 5, "output_tokens": 5, "cached_input_tokens": 3, "cache_write_tokens": 3},
        {"input_tokens": 5, "output_tokens": 5, "reasoning_tokens": 6},
        {"input_tokens": 5, "output_tokens": 5, "total_tokens": 99, "reasoning_tokens": 6},
    ],
)
def test_what_contradicts_itself_or_is_not_known_has_no_parts(figures: dict[str, int]) -> None:
    assert parts_of(TokenUsage(**figures)) is None


def test_what_was_written_for_an_hour_was_written() -> None:
    parts = parts_of(TokenUsage(input_tokens=5, output_tokens=0, cache_write_1h_tokens=4))
    assert parts == Parts(fresh=1, written_1h=4)
