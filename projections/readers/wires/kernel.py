"""Reader of the kernel's own messages, which are drafts already."""

from collections.abc import Sequence

from projections.readers.draft import Draft, Reader
from projections.view import Item


def _read(item: Item, index: int) -> Sequence[Draft]:
    del index
    return [item]


READER = Reader("kernel", _read, view=None)
