"""Imports on use: modules that run when they are first needed, and parts that are made then.

    with lazy_imports():
        from agentlog.infrastructure.forks import forker

imports a module whose code runs when an attribute of it is first read, as `forker.Forker`. Types,
contracts and cycles are checked as for every import. Python 3.15 has it as `lazy import` (PEP 810).
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Generic, TypeVar

from typing_extensions import override

Owner = TypeVar("Owner")
Made = TypeVar("Made")


@contextmanager
def lazy_imports() -> Iterator[None]:
    """Import the modules of ours that the block names when an attribute of them is first read."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


class LazyModule(ModuleType):
    """A module that has not run yet; it becomes a usual one."""

    @override
    def __getattr__(self, name: str) -> object:
        if not name.startswith("__"):  # what looks at all modules asks for those
            _run(self)
            if name in self.__dict__:
                return self.__dict__[name]
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}", name=name)


def _run(module: ModuleType) -> None:
    state = module.__dict__["__lazy__"]
    with state.lock:  # of this module: imports have no circle, so these locks have none
        if not state.has_begun:
            state.has_begun = True
            try:
                state.loader.exec_module(module)
            except BaseException:
                state.has_begun = False
                raise
            module.__class__ = ModuleType


class _LazyLoader(Loader):
    """Makes a module, and runs it later by its own loader."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self.lock = RLock()
        self.has_begun = False

    @override
    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    @override
    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__lazy__"] = self
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        module.__class__ = LazyModule


class _Finder(MetaPathFinder):
    """Finds modules of ours, but no packages: what a package holds is imported at once."""

    @override
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith("agentlog."):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None or spec.submodule_search_locations is not None:
            return None
        spec.loader = _LazyLoader(spec.loader)
        return spec


class Part(Generic[Owner, Made]):
    """An attribute whose value is made when it is first read, once for each owner.

    The owner has a reentrant lock `making`. Reading it of the class is not possible.
    """

    def __init__(self, make: Callable[[Owner], Made]) -> None:
        self._make = make
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, owner: Owner, kind: type | None = None) -> Made:
        parts = vars(owner)
        with parts["making"]:
            if self._name not in parts:
                parts[self._name] = self._make(owner)
            made: Made = parts[self._name]
        return made
