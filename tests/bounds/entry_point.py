"""A parser of what clients send, or a computation over it, and the shapes that are drawn for it."""

from collections.abc import Callable
from dataclasses import dataclass

JSON_PIECES = (
    "[", "]", "{", "}", ",", '"a":', '""', "0", " ", "1e9", '{"a":0},', "[0],", '"\\ud800"',
)  # fmt: skip
HEADERS = "64 KiB of headers"


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """A parser: what limits it, how it reads a text, and the pieces that its shapes are made of.

    `frame` is what a text that is read to its end may begin and end with. `inputs` are the bodies
    (`METHOD path`) and parameters of the OpenAPI document that it reads.
    """

    limit: str
    read: Callable[[str], object]
    pieces: tuple[str, ...]
    frame: tuple[str, str] = ("", "")
    inputs: tuple[str, ...] = ()
