"""JSON without loss: what comes back equals what was sent.

Integers have any size. A number that a float would change, as 1e400 or one of 30 digits, is a
`Decimal`, in both directions.
"""

import json
import re
from decimal import Decimal
from secrets import token_hex
from typing import Any

from pydantic import BaseModel

from agentlog_client.errors import NotJson


def printed(value: object) -> bytes:
    """Return a value as JSON in UTF-8.

    Raises:
        NotJson: it has what JSON cannot say.
    """
    mark: str | None = None

    def plain(other: object) -> object:
        nonlocal mark
        if isinstance(other, BaseModel):  # of an SDK, too
            return other.model_dump(mode="json", by_alias=True, exclude_unset=True)
        if not isinstance(other, Decimal) or not other.is_finite():
            raise NotJson(f"a {type(other).__name__} is no JSON: make a text or an object of it")
        mark = mark or token_hex(16)
        return f"{mark}{other}"

    try:
        text = json.dumps(
            value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=plain
        )
        if mark is not None:  # the standard library prints no number but int and float
            text = re.sub(f'"{mark}([^"]*)"', r"\1", text)
        return text.encode()
    except UnicodeEncodeError as error:
        raise NotJson(f"a lone surrogate, {error.object[error.start]!r}, is no Unicode") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise NotJson(f"not JSON: {error}") from error


def parsed(text: bytes | str) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of a JSON text."""
    return json.loads(text, parse_float=_number)


def _number(text: str) -> float | Decimal:
    number = float(text)
    return number if Decimal(repr(number)) == Decimal(text) else Decimal(text)
