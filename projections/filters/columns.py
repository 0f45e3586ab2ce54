"""What a filter says of columns, which an index has: names and scalars of metadata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.json.values import JsonValue
from agentlog.projections.filters.expression import Expression, Or, Term, conjuncts

ANY_NUMBER = 1000
"""Of alternatives: more than a filter may have terms."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What must all hold: of each name one of its `terms`, the values of `metadata`, the `rest`."""

    terms: Mapping[str, Sequence[Term]]
    metadata: Mapping[str, JsonValue]
    rest: Sequence[Expression]

    def values(self, name: str) -> list[str]:
        """Return the texts of which the name has one; none where it may have any."""
        return [str(term.value) for term in self.terms.get(name, ())]

    def value(self, name: str) -> str | None:
        """Return the one text that the name has; None where it may have any."""
        return next(iter(self.values(name)), None)


def columns_of(where: Expression, names: Mapping[str, int]) -> Columns:
    """Return what a filter says of some names, of each so many alternatives at most.

    A name that ends in `*` is of beginnings. A name or key that comes again is of the rest.
    """
    terms: dict[str, Sequence[Term]] = {}
    metadata: dict[str, JsonValue] = {}
    rest: list[Expression] = []
    for part in conjuncts(where):
        parts = part.parts if isinstance(part, Or) else (part,)
        alike = [term for term in parts if isinstance(term, Term)]
        name, *others = {f"{term.name}{'*' * term.is_prefix}" for term in alike} or {""}
        is_whole = not others and len(alike) == len(parts)
        match part:
            case _ if is_whole and name not in terms and len(parts) <= names.get(name, 0):
                terms[name] = alike
            case Term(name="metadata", operator=":", key=str(key), is_prefix=False) if (
                part.value is not None and key not in metadata
            ):
                metadata[key] = part.value
            case _:
                rest.append(part)
    return Columns(terms, metadata, rest)
