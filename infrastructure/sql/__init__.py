"""The statements, one file each, beside the code that runs them."""

from functools import cache
from importlib.resources import files
from typing import LiteralString


@cache
def statement(name: str) -> LiteralString:
    """Return the text of `name.sql`."""
    # our own files: as literal as the code beside them
    text: LiteralString = files(__name__).joinpath(f"{name}.sql").read_text("utf-8")
    return text
