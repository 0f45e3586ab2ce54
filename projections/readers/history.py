"""Histories: what a reader makes of a document, and what it kept without understanding it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Literal, Protocol

from agentlog.domain.errors import InvalidMessage
from agentlog.domain.json.values import JsonValue, object_of
from agentlog.projections.readers.draft import Draft, Reader, Unmapped
from agentlog.projections.view import Item

ReadFile = Callable[[str], bytes]
"""Returns the bytes of the file at a path."""


@dataclass(frozen=True, slots=True)
class JoinedFiles:
    """Files that make one document.

    `path` names the document: it is one of its files, or a folder that they are in. `files` are
    what `read` makes the document of, `beside` what has no more than they; neither is read by
    itself. `are_lines` if each file is a line of the document.
    """

    path: str
    files: Sequence[str]
    read: Callable[[ReadFile], bytes]
    beside: Collection[str] = ()
    are_lines: bool = False


Join = Callable[[AbstractSet[str]], Iterator[JoinedFiles]]
"""Yields the documents that several of these files make, in the order of the files."""


def folder_of(path: str) -> str:
    """Return the folder of a file or folder, empty for none."""
    return path.rpartition("/")[0]


def within(folder: str, name: str) -> str:
    """Return the path of a file or folder in a folder."""
    return f"{folder}/{name}" if folder else name


def as_lines(path: str, files: Sequence[str], beside: Collection[str]) -> JoinedFiles:
    """Return the document whose lines are these files."""

    def read(content: ReadFile) -> bytes:
        # a newline in JSON is only white space
        return b"\n".join(content(file).replace(b"\n", b" ") for file in files)

    return JoinedFiles(path, files, read, beside, are_lines=True)


Recognises = Callable[[JsonValue], bool]
Encoding = Literal["json", "text", "zip"]

OWN_FACTS = ("goal", "parent", "limits", "metadata")
"""Facts of a thread in a record of our own export."""
OWN_FIELDS = ("threadId", "messages", *OWN_FACTS, "policy", "closed")
"""All fields of a record of our own export."""


@dataclass(frozen=True, slots=True)
class History:
    """A thread as its source tells it; `id` is the source's own, None where it gives none.

    `goal`, `parent` (an id of the source's too) and `metadata` are facts of the thread. `beside`
    are fields of its document that none of all this has. `of_whole` are the ids of messages about
    the whole, which may come later or be others in a later version of the document. `is_blank` if
    the reader knows none of its items, and all were kept whole.
    """

    drafts: Sequence[Draft]
    id: str | None = None
    goal: str | None = None
    parent: str | None = None
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)
    unmapped: Sequence[Unmapped] = ()
    beside: Mapping[str, JsonValue] = field(default_factory=dict)
    of_whole: AbstractSet[str] = frozenset()
    is_blank: bool = False


class OngoingHistory(Protocol):
    """A history that is read as its items come.

    `read` returns the messages of the next item, `facts` what is known of the thread by then.
    """

    def read(self, item: Item, place: str) -> Sequence[Draft]: ...  # noqa: D102 - see above
    def facts(self) -> History: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Format:
    """A format of histories: how it is recognised, and read.

    `read` yields the histories of one document: an object, or the array of a history's items. It
    raises `InvalidMessage` with the place in the document.

    `is_document` returns whether a value is such a document by itself. `is_item` returns whether an
    object is one of the items, which stand in an array or on the lines of a file. `excludes`
    returns whether a value shows that the file it stands in is of another format. `thread_of`
    returns the thread of an item, where one file may have items of several; None is the thread of
    the item before. `unit` is what makes a thread, in words. `is_sorted` if the messages of a
    thread do not stand in the order of the items.

    `suffixes` are how the names of its files end, beside those of any JSON, and `encoding` is what
    such a file holds. `join` finds the files that make one document together.

    Of several formats that know a value, those of the least `generality` count.

    `begin` begins a history whose items come one by one; it reads them as `read` does.
    """

    name: str
    title: str
    read: Callable[[JsonValue], Iterator[History]]
    is_document: Recognises = lambda _: False
    is_item: Recognises = lambda _: False
    excludes: Recognises = lambda _: False
    thread_of: Callable[[Item], str | None] | None = None
    unit: str = "record"
    is_sorted: bool = False
    suffixes: tuple[str, ...] = ()
    encoding: Encoding = "json"
    join: Join | None = None
    generality: int = 0
    begin: Callable[[], OngoingHistory] | None = None


def format_of_items(
    reader: Reader,
    title: str,
    is_item: Recognises,
    *,
    generality: int = 0,
    facts: Sequence[str] = (),
) -> Format:
    """Return the format whose documents are arrays of items, or objects with `messages`.

    `facts` are fields beside `messages` that become metadata of the thread.
    """

    def read(document: JsonValue) -> Iterator[History]:
        items, unmapped = items_in(document), list[Unmapped]()
        if items is None:
            raise InvalidMessage.at("", "has no messages")
        beside = object_of(document)
        metadata = {key: beside[key] for key in facts if beside.get(key) is not None}
        known = {*OWN_FIELDS, *facts} if is_own(document) else {"messages", *facts}
        drafts = list(reader.read(items, unmapped))
        own = f"{reader.name}."
        yield History(
            drafts,
            metadata=metadata,
            unmapped=unmapped,
            beside={key: value for key, value in beside.items() if key not in known},
            is_blank=reader.view is not None
            and drafts != []
            and all(str(draft["type"]).startswith(own) for draft in drafts),
        )

    return Format(reader.name, title, read, made_of(is_item), is_item, generality=generality)


def made_of(is_item: Recognises) -> Recognises:
    """Return whether a document has items, and nothing else that is in their place."""

    def is_document(value: JsonValue) -> bool:
        items = items_in(value)
        return items is not None and items != [] and all(map(is_item, items))

    return is_document


def is_own(document: JsonValue) -> bool:
    """Return whether a document is a record of our own export, which names its thread."""
    return isinstance(document, dict) and isinstance(document.get("threadId"), str)


def items_in(document: JsonValue) -> list[JsonValue] | None:
    """Return the items of an array, or of an object with `messages`; else None."""
    match document:
        case list(items) | {"messages": list(items)}:
            return items
        case _:
            return None
