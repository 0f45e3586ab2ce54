"""What a recorder tells of: nothing of it stops an agent."""

import logging
from collections.abc import Callable
from typing import Literal, NamedTuple

Kind = Literal[
    "mended", "refused", "not_allowed", "away", "not_written", "dropped", "left", "defect"
]


class Trouble(NamedTuple):
    """Something that went wrong, and what became of it.

    `mended`: a message was no JSON; texts stand for what JSON cannot say.
    `refused`: the service refused a message; it was put aside in a file.
    `not_allowed`: the service refused the key; nothing more is sent.
    `away`: the service does not answer; it is tried again.
    `not_written`: the file cannot be written; messages are kept in memory.
    `dropped`: nor can memory hold more; a message is lost.
    `left`: the recorder was closed while messages waited; the next one sends them.
    `defect`: a message was lost by an error of this package.
    """

    kind: Kind
    text: str


OnTrouble = Callable[[Trouble], None]


def log_trouble(trouble: Trouble) -> None:
    """Log a warning; it is what a recorder does unless told otherwise."""
    logging.getLogger("agentlog_client").warning("%s", trouble.text)
