"""The words that names of attributes consist of: `ai.response.toolCalls` has four."""

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")


@lru_cache(maxsize=4096)
def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case."""
    return tuple(word.lower() for word in _WORD.findall(name[:256]))
