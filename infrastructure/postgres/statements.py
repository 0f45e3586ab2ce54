"""SQL statements by name: each is a file beside the code that runs it."""

from functools import cache
from pathlib import Path
from typing import LiteralString

_ROOMS = tuple(Path(__file__).parents[2] / room for room in ("infrastructure", "extensions"))


@cache
def statement(name: str, **gaps: LiteralString) -> LiteralString:
    """Return the text of `name.sql`, from any package; names are unique.

    `gaps` fill the places in braces, for what a parameter cannot be: a column, a condition.
    """
    lines = [line.strip() for line in _files()[name].read_text("utf-8").splitlines()]
    # files of this package: as trusted as the code; psycopg remembers texts of up to 4096 letters
    text: LiteralString = "\n".join([line for line in lines if not line.startswith("--")])
    return text.format(**gaps) if gaps else text


@cache
def _files() -> dict[str, Path]:
    return {file.stem: file for room in _ROOMS for file in room.rglob("*.sql")}
