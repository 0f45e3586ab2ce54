"""Names and ids as an API takes them: each other name gets another, the same at any time."""

import re
from collections.abc import Callable
from hashlib import sha256

from agentlog.projections.api_rules.rule import Fit

_UNFIT = re.compile(r"[^a-zA-Z0-9_-]")
_DIGITS = 8


def fitted(name: str, fit: Fit) -> str:
    """Return a name itself where it fits, else one that fits, with a digest of the name."""
    if fit.takes(name):
        return name
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    readable = _UNFIT.sub("_", name)[: fit.longest - _DIGITS - 2].strip("_")
    fits = f"{readable}_{digest}" if readable else f"_{digest}"
    return fits if fit.takes(fits) else f"_{fits}"


def told_apart(name: str, fit: Fit, is_used: Callable[[str], bool], number: int = 2) -> str:
    """Return a name, or where it is used the name with the first free number from `number` on."""
    candidate = name
    while is_used(candidate):
        suffix = f"_{number}"
        candidate = name[: fit.longest - len(suffix)] + suffix
        number += 1
    return candidate
