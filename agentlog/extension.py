"""What an extension adds, and registries of parts: the core's own, then those of extensions.

An extension is a package with an entry point in the group `agentlog.extensions` that names an
`Extension`. Its parts are references, "module:object": each is imported when it is first used, and
costs nothing before. Packages outside this repository may import this module.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from pkgutil import resolve_name
from typing import Generic, Literal, TypeAlias, TypeVar, cast, overload

from typing_extensions import override

from agentlog.domain.errors import AgentlogError

GROUP = "agentlog.extensions"
"""The group of entry points that name extensions."""

Part = TypeVar("Part")
References: TypeAlias = Literal[
    "formats", "appendable", "own_types", "links", "failure_texts", "views", "routes", "errors"
]
"""Fields of `Extension` whose parts are references."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line: a reference to its `typer.Typer`, and its line of help.

    `agentlog --help` lists it in its `group`. `words` are what people may call it otherwise: they
    are told its name.
    """

    app: str
    help: str
    group: str = "Extensions"
    words: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Extension:
    """What an extension adds, by name: references to formats, views and routers, and commands.

    `formats` name a `Format` (agentlog.projections.readers.history), `appendable` those of them
    whose items may be appended to a thread, `own_types` the `OwnTypes` of a wire
    (agentlog.projections.own_types.registry), `links` its `Links`
    (agentlog.projections.context.links), `failure_texts` a regular expression of how results
    begin that failed (agentlog.projections.outcomes.suspicion), `views` a subclass of `View`
    (agentlog.projections.view), `routes` a `Router` (agentlog.api.http.routing). A command
    below `export` is named with it: `export cassette`.
    """

    about: str
    formats: Mapping[str, str] = field(default_factory=dict)
    appendable: Mapping[str, str] = field(default_factory=dict)
    own_types: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    failure_texts: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[str, str] = field(default_factory=dict)
    commands: Mapping[str, Command] = field(default_factory=dict)
    routes: Mapping[str, str] = field(default_factory=dict)
    errors: Mapping[str, str] = field(default_factory=dict)


class BrokenExtension(AgentlogError):
    """An installed extension cannot be used: it does not load, or adds what is there already."""

    def __init__(self, entry_point: EntryPoint, reason: str) -> None:
        source = entry_point.dist.name if entry_point.dist else entry_point.value
        super().__init__(
            f"the extension {entry_point.name!r} of {source} {reason}: repair or uninstall it"
        )
        self.extension = entry_point.name


class Registry(Mapping[str, Part], Generic[Part]):
    """Parts of one kind by name: the core's own, then those of the installed extensions.

    `kind` is the field of `Extension` that has them. Names cost no import; a part is imported
    when it is first looked up.
    """

    def __init__(self, kind: References, own: Mapping[str, str]) -> None:
        self._kind = kind
        self._own = own
        self._parts: dict[str, Part] = {}

    @override
    def __getitem__(self, name: str) -> Part:
        part = self._parts.get(name)
        if part is None:
            part = self._parts[name] = cast("Part", resolve_name(self._references[name]))
        return part

    @override
    def __contains__(self, name: object) -> bool:
        return name in self._references  # without importing it

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(self._references)

    @override
    def __len__(self) -> int:
        return len(self._references)

    @cached_property
    def _references(self) -> Mapping[str, str]:
        return {**self._own, **added(self._kind, taken=self._own)}


@overload
def added(kind: Literal["commands"], *, taken: Mapping[str, object]) -> dict[str, Command]: ...
@overload
def added(kind: References, *, taken: Mapping[str, object]) -> dict[str, str]: ...
def added(kind: str, *, taken: Mapping[str, object]) -> Mapping[str, object]:
    """Return what the installed extensions add of a kind (a field of `Extension`), by name.

    Raises:
        BrokenExtension: one adds a name that is `taken`, by the core or by another.
    """
    parts: dict[str, object] = {}
    for entry_point, extension in extensions():
        for name, part in getattr(extension, kind).items():
            if name in taken or name in parts:
                raise BrokenExtension(entry_point, f"adds to {kind} {name!r}, which is there")
            parts[name] = part
    return parts


@cache
def extensions() -> tuple[tuple[EntryPoint, Extension], ...]:
    """Return the installed extensions, by name.

    Raises:
        BrokenExtension: one does not load.
    """
    entries = sorted(entry_points(group=GROUP), key=lambda entry_point: entry_point.name)
    return tuple((entry_point, _load(entry_point)) for entry_point in entries)


def _load(entry_point: EntryPoint) -> Extension:
    try:
        extension = entry_point.load()
    except Exception as error:
        raise BrokenExtension(entry_point, f"does not load ({error})") from error
    if not isinstance(extension, Extension):
        raise BrokenExtension(entry_point, f"is a {type(extension).__name__}, no Extension")
    return extension
