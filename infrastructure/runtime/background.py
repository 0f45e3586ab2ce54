"""What goes on beside the callers: a thread that works until it is closed, and callbacks."""

import logging
import threading
from abc import abstractmethod
from collections.abc import Callable
from typing import Generic, ParamSpec

from typing_extensions import override

from agentlog.infrastructure.runtime.closeable import Closing

logger = logging.getLogger("agentlog")

P = ParamSpec("P")


class Background(Closing):
    """Works in a thread of its own, from `_begin` on until it is closed.

    `_woken` wakes it, and `_closed` says that it is to end; then it is woken too.
    """

    def __init__(self, name: str) -> None:
        self._woken = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)

    def _begin(self) -> None:
        self._thread.start()

    @override
    def close(self) -> None:
        """Stop, after what is under way."""
        self._closed.set()
        self._woken.set()
        if self._thread.ident is not None:
            self._thread.join()

    @abstractmethod
    def _work(self) -> None:
        """Work until `_closed`."""


class Callbacks(Generic[P]):
    """Functions to call, each until it is ended; one that fails is logged as `failing` says."""

    def __init__(self, failing: str) -> None:
        self._failing = failing
        self._changing = threading.Lock()
        self._functions: tuple[Callable[P, object], ...] = ()

    def __bool__(self) -> bool:
        return bool(self._functions)

    def add(self, function: Callable[P, object]) -> Callable[[], None]:
        """Call a function from now on; returns one that ends that."""
        with self._changing:
            self._functions = (*self._functions, function)

        def end() -> None:
            with self._changing:
                self._functions = tuple(other for other in self._functions if other != function)

        return end

    def call(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all of them."""
        for function in self._functions:
            try:
                function(*args, **kwargs)
            except Exception:  # the others are still to be called
                logger.exception(self._failing)
