"""The page in Chromium: what it takes to open, to step and to follow, beside the bare requests."""

import re
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from statistics import median, quantiles

from playwright.sync_api import Browser, CDPSession, Page

from agentlog.domain.json.text import parse
from agentlog.infrastructure.appending.append_request import AppendRequest
from agentlog.infrastructure.threads import Threads
from benchmarks.harness.databases import connected, new_database, store_on
from benchmarks.harness.figures import timed
from benchmarks.harness.folded import wait_until_folded
from benchmarks.harness.rates import Aim, aims_table
from benchmarks.harness.service import Client, serving
from benchmarks.harness.table import Table
from benchmarks.harness.workload import Workload
from benchmarks.reading.long_threads import LENGTH, fill_long_thread
from tests.browser.chromium import chromium

_THREADS = 100_000
_BATCH = 500
_RATE = 200
_LONG = "/threads/long"
_LAST = LENGTH + 1
"""The version of its last event: the first is its start."""
_MIDDLE = LENGTH // 2
_WITH_STATE = "state=state"
"""Shows the pane of the state, which a thread without one of its own does not open on."""


def measure_page(
    server: str, workload: Workload, *, runs: int, times: int, seconds: int
) -> Sequence[Table]:
    """Return what the page takes with 100,000 threads, and with one of 100,000 messages."""
    with ExitStack() as stack:
        url = stack.enter_context(new_database(server))
        with store_on(url) as service:
            _fill_threads(service.threads)
            fill_long_thread(service.threads, workload)
        client = stack.enter_context(serving(url))
        _wait_until_level(client)
        connection = stack.enter_context(connected(url))
        wait_until_folded(connection, client, version=LENGTH, threads=1)
        browser = stack.enter_context(chromium())
        where = f"http://{client.address}"
        aims = [
            *_list_aims(browser, client, where, runs),
            *_thread_aims(browser, client, where, runs, times),
            _first_visit(browser, where),
            _live(browser, client, where, seconds),
        ]
    return [aims_table(f"The page, {_THREADS:,} threads, one of {LENGTH:,} messages", aims)]


def _fill_threads(threads: Threads) -> None:
    for first in range(0, _THREADS, _BATCH):
        threads.append_many([_thread(threads, number) for number in range(first, first + _BATCH)])


def _thread(threads: Threads, number: int) -> AppendRequest:
    said = {"type": "input", "text": f"Change flight HAT{number % 300} of customer {number}."}
    return threads.request(f"run-{number}", [said])


def _wait_until_level(client: Client) -> None:
    while True:
        projection_status = parse(client.get("/v1/projections"))["items"]
        if projection_status and all(standing["lag"] == 0 for standing in projection_status):
            return
        time.sleep(0.5)


def _list_aims(browser: Browser, client: Client, where: str, runs: int) -> list[Aim]:
    bare = _median(lambda: client.get("/v1/summaries?limit=100"), runs)
    opened = _median(
        lambda: _open(browser, f"{where}/", lambda page: page.get_by_text("run-").first.wait_for()),
        runs,
    )
    return [
        Aim("GET /v1/summaries of the first rows: the floor", bare, 1000, 100, "ms"),
        Aim(f"the list of {_THREADS:,} threads is drawn", opened, 1000, 500, "ms"),
    ]


def _thread_aims(browser: Browser, client: Client, where: str, runs: int, times: int) -> list[Aim]:
    thread = f"/v1/threads{_LONG.removeprefix('/threads')}"
    reads = [
        thread,
        f"{thread}/messages?after={LENGTH - 200}&limit=200&cut=200",
        f"{thread}/views/agent-state?history=false&bare=true&at={_LAST}",
    ]
    bare = _median(lambda: [client.get(path) for path in reads], runs)
    opened = _median(lambda: _open(browser, f"{where}{_LONG}?{_WITH_STATE}", _drawn(_LAST)), runs)
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(f"{where}{_LONG}?at={_MIDDLE}&{_WITH_STATE}")
        _drawn(_MIDDLE)(page)
        first_steps = [_step(page, _MIDDLE + number) for number in range(1, times + 1)]
        page.get_by_text(re.compile("^Reading: ")).wait_for(state="detached", timeout=120_000)
        heap = _heap(context.new_cdp_session(page))
        steps = [_step(page, _MIDDLE + times + number) for number in range(1, times + 1)]
    client.reconnect()
    states = [
        _median(partial(client.get, f"{thread}/views/agent-state?history=false&at={at}"), 1)
        for at in range(_MIDDLE + 1, _MIDDLE + 1 + times)
    ]
    return [
        Aim("head, last events and state of the long thread: the floor", bare, 1500, 500, "ms"),
        Aim("the long thread is drawn at its end", opened, 1500, 500, "ms"),
        Aim("GET of a state in its middle, p95: the floor", _p95(states), 60, 20, "ms"),
        Aim("a step of the scrubber there is drawn, median", median(steps), 40, 20, "ms"),
        Aim("the same, p95", _p95(steps), 60, 30, "ms"),
        Aim("the same while the timeline is read, p95", _p95(first_steps), 60, 30, "ms"),
        Aim("JavaScript heap with the whole timeline", heap, 300, 150, "MB"),
    ]


def _open(browser: Browser, address: str, wait: Callable[[Page], None]) -> None:
    """Open an address in a session of its own, with no file in any cache."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(address)
        wait(page)


def _drawn(version: int) -> Callable[[Page], None]:
    return lambda page: page.get_by_role("region", name=_state(version), exact=True).wait_for()


def _state(version: int) -> str:
    return f"State at version {version}"


def _step(page: Page, version: int) -> float:
    """Press the arrow; return the milliseconds until the state of the next version is painted."""
    taken: float = page.evaluate(_STEP, _state(version))
    return taken


_STEP = """said => new Promise(resolve => {
  const begun = performance.now();
  const look = () => {
    if (document.querySelector(`section[aria-label="${said}"]`) !== null)
      requestAnimationFrame(() => resolve(performance.now() - begun));
    else requestAnimationFrame(look);
  };
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  look();
})"""


def _heap(session: CDPSession) -> float:
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    by_name = {str(metric["name"]): float(metric["value"]) for metric in metrics}
    return by_name["JSHeapUsedSize"] / 1e6


def _first_visit(browser: Browser, where: str) -> Aim:
    """Return what a first visit of the list transfers, without what the API answers."""
    received: dict[str, float] = {}
    with browser.new_context() as context:
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", lambda event: _note(received, event))
        asked: dict[str, str] = {}
        session.on(
            "Network.requestWillBeSent",
            lambda event: asked.update({event["requestId"]: event["request"]["url"]}),
        )
        page.goto(f"{where}/")
        page.get_by_text("run-").first.wait_for()
        page.wait_for_load_state("networkidle")
    size = sum(
        bytes_ for request_id, bytes_ in received.items() if "/v1/" not in asked.get(request_id, "")
    )
    return Aim("files of a first visit, packed", size / 1000, 300, 150, "kB")


def _note(received: dict[str, float], event: dict[str, float | str]) -> None:
    received[str(event["requestId"])] = float(event["encodedDataLength"])


def _live(browser: Browser, client: Client, where: str, seconds: int) -> Aim:
    """Return the time between frames while a thread grows by 200 events a second."""
    client.reconnect()
    client.post("/v1/threads/live/messages", {"type": "input", "text": "Begin."})
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        page.goto(f"{where}/threads/live?{_WITH_STATE}")
        _drawn(1)(page)
        client.reconnect()
        page.evaluate(_COUNT_FRAMES)
        begun = time.monotonic()
        for number in range(_RATE * seconds):
            client.post("/v1/threads/live/messages", {"type": "reply", "text": f"Answer {number}."})
            time.sleep(max(0.0, begun + (number + 1) / _RATE - time.monotonic()))
        frames: list[float] = page.evaluate("frames")
        _drawn(_RATE * seconds + 1)(page)
    return Aim(f"a frame while {_RATE} events a second come, p95", _p95(frames), 50, 33, "ms")


_COUNT_FRAMES = """() => {
  globalThis.frames = [];
  let before = performance.now();
  const count = (now) => { frames.push(now - before); before = now; requestAnimationFrame(count); };
  requestAnimationFrame(count);
}"""


def _median(read: Callable[[], object], runs: int) -> float:
    """Return the milliseconds that it takes."""
    samples: list[float] = []
    for _ in range(runs):
        with timed(samples):
            read()
    return median(samples) * 1000


def _p95(milliseconds: Sequence[float]) -> float:
    return quantiles(milliseconds, n=20)[-1]
