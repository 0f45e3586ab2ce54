"""How long contents are kept: rules, and which of them says of a thread that it is due.

Time comes in as an argument; ages count from the last event of a thread, by the store's clock.
"""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from domain.json.text import JsonValue
from domain.threads import Status

_UNITS = {"h": "hours", "d": "days", "w": "weeks"}
_AGE = re.compile(r"([1-9][0-9]{0,5})([hdw])\Z")


def age_of(text: str) -> timedelta:
    """Return how long "12h", "90d" or "4w" is; raises `ValueError`."""
    found = _AGE.match(text)
    if found is None:
        raise ValueError("say it in whole hours, days or weeks, 1 at least, as in 12h, 90d or 4w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def _is_age(text: str) -> str:
    age_of(text)
    return text


class Rule(BaseModel):
    """Threads whose contents go: all that is given has to be so of a thread.

    `metadata`: top-level keys, and the scalars that they have; `threads`: how ids begin.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    older_than: Annotated[str, AfterValidator(_is_age)]
    reason: Annotated[str, StringConstraints(pattern=r"\S")]
    status: Status | None = None
    metadata: dict[str, str | int | float | bool] = Field(default_factory=dict)
    threads: str = ""

    def covers(
        self,
        thread_id: str,
        status: Status,
        metadata: Mapping[str, JsonValue],
        *,
        last: datetime,
        now: datetime,
    ) -> bool:
        """Tell whether a thread whose last event came at `last` is due at `now`."""
        return (
            last < now - age_of(self.older_than)
            and thread_id.startswith(self.threads)
            and self.status in {None, status}
            and all(
                key in metadata and _same(metadata[key], value)
                for key, value in self.metadata.items()
            )
        )


class Rules(BaseModel):
    """Rules in their order: the first that covers a thread gives the reason."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    rules: Annotated[tuple[Rule, ...], Field(min_length=1, strict=False)]


def _same(found: JsonValue, wanted: JsonValue) -> bool:
    """Tell whether two scalars are the same: true is not 1, 1.0 is."""
    return isinstance(found, bool) == isinstance(wanted, bool) and bool(found == wanted)
