"""Search texts: what they mean, and the words by which an index finds candidates.

A search text consists of parts between spaces. Each part must stand in a text as it is, whatever
its case, as whole words: `refund` does not find `Refunded`, `refund*` does. A part in double quotes
may hold spaces. Texts that hold several parts as one phrase come before others.
`agentlog.parts_of` is for threads: without quotes, and the last word may be a beginning.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

# scripts without spaces, as in agentlog.words_of
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_OF_WORDS = rf"[^\W_{_UNSPACED}]"
_WORD_CHARACTERS = 64

# ASCII signs are in every text: they would make the index larger and not more selective
_WORDS = re.compile(rf"{_OF_WORDS}{{1,{_WORD_CHARACTERS}}}|[^\x00-\x7f\s]")
_INSIDE = re.compile(_OF_WORDS * 2)
_PARTS = re.compile(r'"([^"]+)"(?!\S)|(\S+)')


def folded(text: str) -> str:
    """Return a text in lower case, of the same length, whatever its neighbours."""
    return text.replace("\u0130", "i").lower().replace("\u03c2", "\u03c3")


def words_in(text: str) -> set[str]:
    """Return the words of a text: runs of letters and digits in pieces, other signs one by one."""
    return set(_WORDS.findall(folded(text)))


@dataclass(frozen=True)
class Part:
    """A part of a search text; `whole` unless its last word may be a beginning."""

    text: str
    whole: bool

    @cached_property
    def folded(self) -> str:
        """Its text in lower case."""
        return folded(self.text)

    @property
    def words(self) -> list[tuple[str, bool]]:
        """Its words, each with whether it may be but the beginning of one."""
        words = _WORDS.finditer(self.folded)
        end = len(self.folded)
        return [(word[0], not self.whole and word.end() == end) for word in words]

    def matches(self, text: str, begin: int = 0) -> Iterator[tuple[int, int]]:
        """Yield begin and end of each place, from `begin` on, where it stands in a folded text."""
        size = len(self.folded)
        at = text.find(self.folded, begin)
        while at >= 0:
            end = at + size
            fits = not _is_inside(text, at) and not (self.whole and _is_inside(text, end))
            if fits:
                yield at, end
            at = text.find(self.folded, end if fits else at + 1)


def _is_inside(text: str, place: int) -> bool:
    """Return whether a place is inside a word."""
    return bool(place) and _INSIDE.match(text, place - 1) is not None


def parts_of(search: str) -> list[Part]:
    """Return the parts of a search text, each once."""
    return list(dict.fromkeys(_part(quoted, plain) for quoted, plain in _PARTS.findall(search)))


def phrase_of(search: str) -> str | None:
    """Return a search text as one quoted part; None where it is not several whole words."""
    words = search.split()
    is_plain = '"' not in search and all(_part("", word).whole for word in words)
    return f'"{" ".join(words)}"' if is_plain and len(words) > 1 else None


def _part(quoted: str, plain: str) -> Part:
    beginning = plain.removesuffix("*")
    is_beginning = beginning not in {"", plain}
    return Part(beginning if is_beginning else quoted or plain, whole=not is_beginning)


def query_of(parts: Iterable[Part], *others: str) -> str:
    """Return the `tsquery` for all words of the parts, and other queries."""
    words = (
        f"{quoted_lexeme(word)}:*" if beginning else quoted_lexeme(word)
        for part in parts
        for word, beginning in part.words
    )
    return " & ".join(dict.fromkeys((*words, *others)))


def quoted_lexeme(lexeme: str) -> str:
    """Return a lexeme as a `tsquery` has it."""
    doubled = lexeme.replace("\\", "\\\\").replace("'", "''")
    return f"'{doubled}'"
