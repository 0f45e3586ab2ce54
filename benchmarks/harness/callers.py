"""Callers in threads, for some seconds: each acts again as soon as it was answered."""

import threading
import time
from collections.abc import Callable
from statistics import quantiles

from benchmarks.harness.rates import Run

Act = Callable[[], object]


def run_callers(callers: int, new_act: Callable[[int], Act], *, seconds: float) -> Run:
    """Return what so many callers got done; `new_act` makes what the caller of a number does."""
    ready = threading.Barrier(callers + 1)
    stop = threading.Event()
    taken: list[list[float]] = [[] for _ in range(callers)]
    failures: list[Exception] = []

    def call(number: int) -> None:
        act, own = new_act(number), taken[number]
        ready.wait()
        try:
            while not stop.is_set():
                began = time.perf_counter()
                act()
                own.append(time.perf_counter() - began)
        except Exception as error:  # noqa: BLE001 - raised again where the run was asked for
            failures.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(callers)]
    for thread in threads:
        thread.start()
    ready.wait()
    began = time.perf_counter()
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    if failures:
        raise failures[0]
    every = [sample for own in taken for sample in own]
    percentiles = quantiles(every, n=100)
    return Run(len(every) / elapsed, p50=percentiles[49], p99=percentiles[98])
