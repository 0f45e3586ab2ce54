"""Work in processes beside this one, which end with it."""

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

_AHEAD = 16
"""Most items for each process that are begun before the first of them is taken."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


class WorkerEnded(Exception):
    """A process ended by itself, or was ended: its work is not done."""


def map_in_processes(
    function: Callable[[_Item], _Result],
    items: Iterable[_Item],
    *,
    processes: int,
) -> Iterator[_Result]:
    """Yield the results of `function`, in the order of the items, which are read as needed.

    The processes end with the iteration, however that ends, and with this process, even if it is
    killed.

    Raises:
        WorkerEnded: a process ended by itself.
    """
    waiting: deque[Future[_Result]] = deque()
    with _executor(processes) as executor:
        try:
            for item in items:
                with _interrupts_held():  # a process inherits it: Ctrl-C is for this one
                    waiting.append(executor.submit(function, item))
                if len(waiting) == _AHEAD * processes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise WorkerEnded from error


@contextmanager
def _executor(processes: int) -> Iterator[ProcessPoolExecutor]:
    """Yield an executor whose processes end with the block, whatever they do."""
    executor = ProcessPoolExecutor(
        processes,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_watch_parent,
    )
    others = multiprocessing.active_children()
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            if process not in others:
                process.terminate()
        raise
    finally:
        executor.shutdown()


def _watch_parent() -> None:
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until the end of the block; processes started in it get none."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
