"""Canonical JSON: equal bytes for values that are equal.

The order of keys does not count, nor how a number is written: 1, 1.0 and 10e-1 are one value.
"""

import decimal

from agentlog.domain.json.numbers import WrittenFloat
from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue

_MOST_DIGITS = 400
"""Digits that a number is written with; beyond, it has an exponent."""


def canonical_bytes(value: JsonValue) -> bytes:
    """Return the canonical JSON of a value from `parse`, or of our own."""
    return print_bytes(canonical(value), sort_keys=True)


def canonical(value: JsonValue) -> JsonValue:
    """Return a value with its numbers in canonical form: integers where they are some."""
    # not `match`: this visits every value of a history
    if isinstance(value, dict):
        return {key: canonical(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [canonical(item) for item in value]
    return _number(value) if isinstance(value, float) else value


def _number(value: float) -> JsonValue:
    text = value.text if isinstance(value, WrittenFloat) else repr(value)
    try:
        sign, digits, exponent = decimal.Decimal(text).as_tuple()
    except decimal.InvalidOperation:  # an exponent beyond 10^18
        return value
    if not isinstance(exponent, int):  # NaN and infinity are no JSON
        return value
    written = "".join(map(str, digits)).lstrip("0")
    significant = written.rstrip("0")
    exponent += len(written) - len(significant)
    minus = "-" * sign
    if not significant:
        return 0
    if max(-exponent, len(significant) + exponent) > _MOST_DIGITS:
        return WrittenFloat(f"{minus}{significant}e{exponent}")
    if exponent >= 0:
        return int(f"{minus}{significant}{'0' * exponent}")
    significant = significant.rjust(1 - exponent, "0")
    return WrittenFloat(f"{minus}{significant[:exponent]}.{significant[exponent:]}")
