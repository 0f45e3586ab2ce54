"""Registry of readers by format name."""

from collections.abc import Mapping

from domain.errors import UnknownFormat
from projections.readers.draft import Reader
from projections.readers.wires import kernel, letta, maria, openai, openletta

READERS: Mapping[str, Reader] = {
    reader.name: reader
    for reader in (kernel.READER, openai.READER, letta.READER, openletta.READER, maria.READER)
}


def choose_reader(name: str) -> Reader:
    """Return the reader of the format `name`.

    Raises:
        UnknownFormat: no reader has that name.
    """
    if name not in READERS:
        raise UnknownFormat(name, known=tuple(READERS))
    return READERS[name]
