"""Parameters of before there was one language of filters: refused, with the filter to write.

They answer so for one version; then this module goes.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal

from agentlog.api.filters import InvalidFilter, metadata_value
from agentlog.domain.errors import InvalidInput
from agentlog.projections.filters.expression import And, Expression, Not, Or, Term, print_filter

Kind = Literal["list", "search", "log", "events", "report"]
"""What the parameters were of."""

_METADATA = "metadata."
_OF_MESSAGES = frozenset({"type", "role", "tool"})
_NAMES: Mapping[Kind, frozenset[str]] = {
    "list": frozenset(
        "q status parent tool outcome verdict rule loops anomalies failed pending".split()
    ),
    "search": frozenset({*_OF_MESSAGES, *"thread status outcome failed pending anomalies".split()}),
    "events": frozenset({"type"}),
    "log": frozenset({"type", "thread", "threads", "thread-prefix"}),
    "report": frozenset(
        "tool action command error_class outcome model provider finish_reason rule actor "
        "error_code status judged verdict policy label thread parent".split()
    ),
}


class OldSpelling(InvalidInput):
    """The parameters have become terms of filters, which the detail spells out."""

    def __init__(self, names: Collection[str], spelled: Iterable[str]) -> None:
        parameters = ", ".join(name[:64] for name in names)
        super().__init__(f"{parameters}: write {' and '.join(spelled)}")


def kind_of(template: str) -> Kind:
    """Return what a route's parameters are of."""
    if template.startswith("/v1/analytics/"):
        return "report"
    if template in {"/v1/log", "/v1/threads/{thread_id}/messages"}:
        return "events"
    return "search" if template == "/v1/search" else "log" if "/log" in template else "list"


def refuse_old(
    pairs: Iterable[tuple[str, str]],
    takes: Collection[str],
    *,
    of: Kind,
    spell: Callable[[str, str], str] = "{}={}".format,
) -> None:
    """Refuse names and values of which some were filters, as tool or metadata.KEY.

    `takes`: the parameters that there are now. `spell` writes a parameter with its text.

    Raises:
        OldSpelling: with the filters that ask for the same.
        InvalidFilter: there are several filters.
    """
    pairs = [*pairs]
    for repeated in ("filter", "where"):
        if [name for name, _ in pairs].count(repeated) > 1:
            raise InvalidFilter(f"{repeated}: write one, with all terms")
    old: dict[str, list[tuple[str, Expression]]] = {}
    for name, value in pairs:
        if name not in takes and (part := _part(name, value, of)) is not None:
            old.setdefault(name, []).append(part)
    spelled: dict[str, list[Expression]] = {}
    for name, parts in old.items():
        several = And if (name, of) == ("tool", "list") else Or  # a thread called all of them
        (parameter, first), *more = parts
        values = (first, *(part for _, part in more))
        spelled.setdefault(parameter, []).append(several(values) if more else first)
    if old:
        kept = dict(pairs)
        texts = {
            name: _with(kept.get(name), print_filter(_all(parts)))
            for name, parts in spelled.items()
        }
        raise OldSpelling(old, [spell(name, text) for name, text in texts.items()])


def _with(kept: str | None, text: str) -> str:
    """Return a filter with what is asked for already, which may join its terms by `or`."""
    return f"({kept}) {text}" if kept else text


def refuse_old_options(command: str, takes: Collection[str], args: Sequence[str]) -> None:
    """Refuse options of the command line likewise."""
    kinds: dict[str, Kind] = {"report": "report", "find": "search", "tail": "log", "create": "log"}
    refuse_old(_pairs_in(args), takes, of=kinds.get(command, "list"), spell=_option)


def _option(name: str, text: str) -> str:
    quoted = text.replace("'", "'\\''")
    return f"--{name} '{quoted}'"


def _pairs_in(args: Sequence[str]) -> Iterator[tuple[str, str]]:
    for arg, following in zip(args, [*args[1:], ""], strict=True):
        name, equals, value = arg.removeprefix("--").partition("=")
        text = value if equals else following
        match name:
            case _ if not arg.startswith("--"):
                continue
            case "metadata" | "only":
                key, _, wanted = text.partition("=")
                yield f"{_METADATA if name == 'metadata' else ''}{key}", wanted
            case _:
                yield name, text


def _part(name: str, value: str, of: Kind) -> tuple[str, Expression] | None:
    """Return the parameter in which a filter stands now, and its part."""
    if name.startswith(_METADATA) and name != _METADATA:
        scalar = metadata_value(value)
        wanted = value if isinstance(scalar, dict | list) else scalar
        return "filter", Term("metadata", ":", wanted, key=name.removeprefix(_METADATA))
    if name not in _NAMES[of]:
        return None
    if of == "report":
        return "filter", Term(name, ":", value)
    if of == "log" and name != "type":  # how ids begin
        return "filter", Term("thread", ":", value, is_prefix=True)
    parameter = "where" if of == "search" and name in _OF_MESSAGES else "filter"
    return parameter, _expression(name, value)


def _expression(name: str, value: str) -> Expression:
    flags = {"failed": Term("has", ":", "error"), "pending": Term("pending", "")}
    match name:
        case "q":
            return _all([Term("words", ":", word) for word in value.split()])
        case "outcome":
            return Term("exit", ":", value)
        case "verdict":
            of_none = And((Not(Term("failed", "")), Not(Term("succeeded", ""))))
            return of_none if value == "unknown" else Term(value, "")
        case "loops" | "anomalies" | "failed" | "pending":
            flag = flags.get(name, Term(name, ">", 0))
            return Not(flag) if value == "false" else flag
        case _:
            return Term(name, ":", value)


def _all(parts: Sequence[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else And(tuple(parts))
