"""Tokens of a model call in disjoint parts, whatever a source counts them among."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from agentlog.domain.messages import TokenUsage


class Parts(NamedTuple):
    """Tokens of a call, each counted once: their sum is its input and output.

    `written` are written to a cache for five minutes, or for a time that was not said. `audio` is
    of the fresh input; `output` is without thoughts and audio.
    """

    fresh: int = 0
    read: int = 0
    written: int = 0
    written_1h: int = 0
    audio: int = 0
    output: int = 0
    thoughts: int = 0
    output_audio: int = 0


class Wholes(NamedTuple):
    """All tokens that a call read, and all that it wrote."""

    input: int | None
    output: int | None


def parts_of(usage: TokenUsage) -> Parts | None:
    """Return the parts of a call; None where input or output are not known, or are contradicted."""
    whole = wholes_of(usage)
    if whole.input is None or whole.output is None:
        return None
    read, written, thoughts = _inner(usage)
    written_1h, audio, spoken = (
        count or 0
        for count in (
            usage.cache_write_1h_tokens,
            usage.input_audio_tokens,
            usage.output_audio_tokens,
        )
    )
    parts = Parts(
        fresh=whole.input - read - written - audio,
        read=read,
        written=written - written_1h,
        written_1h=written_1h,
        audio=audio,
        output=whole.output - thoughts - spoken,
        thoughts=thoughts,
        output_audio=spoken,
    )
    return None if min(parts) < 0 else parts


def wholes_of(usage: TokenUsage) -> Wholes:
    """Return input and output as the catalogue means them, though a producer meant them otherwise.

    Its own total shows that: it is that of parts side by side.
    """
    stated, (read, written, thoughts) = (
        Wholes(usage.input_tokens, usage.output_tokens),
        _inner(usage),
    )
    if usage.total_tokens is None or not (read or written or thoughts):
        return stated
    whole = settle(stated, usage.total_tokens, Inner(read, written, thoughts))
    return whole if sum(filter(None, whole)) == usage.total_tokens else stated


class Inner(NamedTuple):
    """Tokens that a source may count in its input (`read`, `written`) and output, or beside."""

    read: int
    written: int
    thoughts: int


def settle(
    stated: Wholes,
    total: int | None,
    inner: Inner,
    *,
    cache_beside: bool = False,
    thoughts_beside: bool = False,
) -> Wholes:
    """Return the wholes of figures of which the source counts some beside its input or output.

    A part is never greater than its whole; and a source's own total decides, where only another
    reading than its habit gives it: gateways have the words of one provider and the habits of
    another.
    """
    cached = inner.read + inner.written
    orders = (0, cached, inner.written, inner.read)
    ins = _readings(stated.input, orders, cached, is_beside=cache_beside)
    outs = _readings(stated.output, (0, inner.thoughts), inner.thoughts, is_beside=thoughts_beside)
    if total is not None:
        for whole in product(ins, outs):
            if None not in whole and sum(filter(None, whole)) == total:
                return Wholes(*whole)
    return Wholes(ins[0], outs[0])


def _readings(
    count: int | None, beside: Sequence[int], least: int, *, is_beside: bool
) -> list[int | None]:
    """Return what a whole may be, first what the source's habit makes of it."""
    if count is None:
        return [least or None] if is_beside else [None]
    wholes = [count + more for more in (sorted(beside, reverse=True) if is_beside else beside)]
    return [whole for whole in wholes if whole >= least]


def _inner(usage: TokenUsage) -> Inner:
    written = max(usage.cache_write_tokens or 0, usage.cache_write_1h_tokens or 0)
    return Inner(usage.cached_input_tokens or 0, written, usage.reasoning_tokens or 0)
