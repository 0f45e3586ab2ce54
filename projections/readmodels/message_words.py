"""Read model of words: one row per message with the words of its texts, for search."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Annotated, ClassVar

from typing_extensions import override

from agentlog.domain.events import Event
from agentlog.projections.readmodels.model import ReadModel, ThreadRows
from agentlog.projections.readmodels.table import Row, Words, table_of
from agentlog.projections.search.message_texts import content_of, texts_of, tools_of
from agentlog.projections.search.search_text import words_in
from agentlog.projections.values import held

_MOST_BYTES = 2**20 - 1024
"""Most bytes of the words of a row; a `tsvector` holds less than 1 MiB."""

_NAME_CHARACTERS = 200


@dataclass(slots=True)
class MessageWordsRow(Row):
    """The words of a message."""

    position: Annotated[int, "place in the log"]
    recorded_at: Annotated[datetime | None, "when the log took it, by the store's clock"]
    words: Annotated[Words, "of its texts; those of tenant, type and tools begin with a space"]


class MessageWords(ReadModel[MessageWordsRow]):
    """Every event that has not been erased."""

    table = table_of(
        MessageWordsRow,
        name="message_words",
        comment="One row a message or fact: what a search looks up.",
        key=("tenant", "position"),
        day="recorded_at",
        indexes=(("tenant", "thread_id"), ("tenant", "recorded_at")),
        public=False,
    )
    version: ClassVar[int] = 2
    types: ClassVar[frozenset[str] | None] = None
    long_text_bytes: ClassVar[int] = 2**20
    begins_late: ClassVar[bool] = True

    @override
    def fold(self, event: Event, rows: ThreadRows[MessageWordsRow]) -> None:
        content = content_of(event)
        if not content:
            return
        words = {
            tenant_word(rows.tenant),
            type_word(event.type),
            *map(tool_word, tools_of(content)),
        }
        for _, text in texts_of(content):
            words |= words_in(text)
        row = MessageWordsRow(
            rows.tenant,
            rows.thread_id,
            False,  # noqa: FBT003 - by place: a row a message
            event.position or 0,
            event.recorded_at,
            _fitting(words),
        )
        rows.add(row)


def tenant_word(tenant: str) -> str:
    """Return the word of a tenant's rows, which keeps tenants apart in the index."""
    return f" of {sha256(tenant.encode()).hexdigest()[:8]}"


def type_word(type_name: str) -> str:
    """Return the word of messages of a type."""
    return f" type {held(type_name)[:_NAME_CHARACTERS]}"


def tool_word(tool: str) -> str:
    """Return the word of messages that name a tool."""
    return f" tool {held(tool)[:_NAME_CHARACTERS]}"


def _fitting(words: Iterable[str]) -> Words:
    """Return words in order; without the last, where they are too long together."""
    kept = sorted(words)
    while len("".join(kept).encode()) > _MOST_BYTES:
        kept = kept[: len(kept) * 9 // 10]
    return Words(kept)
