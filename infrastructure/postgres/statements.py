"""SQL statements by name: each is a file beside the code that runs it."""

from functools import cache
from pathlib import Path
from typing import LiteralString

_PACKAGE = Path(__file__).parents[1]


@cache
def statement(name: str) -> LiteralString:
    """Return the text of `name.sql`, whichever package has it; names are unique."""
    (file,) = _PACKAGE.rglob(f"{name}.sql")
    # our own files: as literal as the code beside them
    text: LiteralString = file.read_text("utf-8")
    return text
