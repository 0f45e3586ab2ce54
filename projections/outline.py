"""The outline of a thread: a line a step, from the items of the view `timeline`."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.json.values import integer_at, number_at, text_at, texts_of
from agentlog.projections.attempts import CallPlace, numbered, place_of
from agentlog.projections.call_texts import iso_time
from agentlog.projections.view import Item

NumberT = TypeVar("NumberT", int, float)


@dataclass(slots=True)
class Called:
    """Calls of one tool with the same arguments; `failed` and `open` count those of them.

    `hint` is the beginning of the first plain argument, where the items have one. The first of
    them is number `attempt` of `attempts` at the same; both are null where nothing was tried again.
    """

    name: str
    digest: str | None
    hint: str | None = None
    times: int = 1
    failed: int = 0
    open: int = 0
    attempt: int | None = None
    attempts: int | None = None


@dataclass(slots=True)
class Step:
    """A line of an outline.

    `kind` is input, model (what came out of a model response), result (of no call), approval,
    worker, gap, or the type of a message that ends something. `step` is counted as by the view
    agent-state, `version` is where it begins. `after_ms` is from the thread's first message; None
    where all steps have one time.
    Approvals and workers have `depth` 1; `thread_id` is a worker's own thread. A line stands for
    `times` equal steps. `cost_usd` is reported or computed: for `computed_calls` of its model
    calls; the cost of `unpriced_calls` is not known. `others` counts, by type, the messages up to
    the next line that have none.
    """

    step: int
    version: int
    kind: str
    depth: int = 0
    name: str | None = None
    thread_id: str | None = None
    begun: int | None = None
    ended: int | None = None
    after_ms: int | None = None
    calls: list[Called] = field(default_factory=list)
    replied: bool = False
    times: int = 1
    end_version: int | None = None
    open: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    computed_calls: int = 0
    unpriced_calls: int = 0
    outcome: str | None = None
    suspected: tuple[str, ...] = ()
    others: dict[str, int] = field(default_factory=dict)

    @property
    def started_at(self) -> str | None:
        """When it began, by the producer's clock."""
        return None if self.begun is None else iso_time(self.begun)

    @property
    def elapsed_ms(self) -> int | None:
        """Milliseconds from its first message to its last."""
        if self.begun is None or self.ended is None or self.ended <= self.begun:
            return None
        return self.ended - self.begun


def outline(items: Iterable[Item]) -> list[Step]:
    """Return the steps of a thread, in order, equal ones in a row as one."""
    lines = _Lines()
    for item in items:
        lines.add(item)
    return lines.steps()


def total_of(steps: Iterable[Step]) -> Step:
    """Return one step with the times and figures of all."""
    total = Step(step=0, version=0, kind="total")
    for step in steps:
        _add(total, step)
    return total


class _Lines:
    """Collects items in any order: spans come when they end."""

    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}  # of inputs and model responses, by number
        self._models: list[Step] = []
        self._beside: list[Step] = []
        self._others: list[tuple[int, str]] = []
        self._called: dict[CallPlace, Called] = {}
        self._again: list[Item] = []

    def add(self, item: Item) -> None:
        """Add an item to the line it belongs to."""
        match item["kind"]:
            case "call" if item["version"] is not None:
                self._call(self._step(item, "model"), item)
            case "call":
                self._call(self._step(item, "result"), item)
            case "reply":
                self._step(item, "model").replied = True
            case "input":
                self._step(item, "input")
            case "model":
                self._models.append(_with_figures(_line(item, "model"), item))
            case "approval" | "worker" as kind:
                self._beside.append(_line(item, kind, depth=1))
            case "gap" | "runtime_error" | "exit" | "shutdown" | "thread.closed" as kind:
                self._beside.append(_line(item, kind))
            case other if other in FACT_TYPES:
                pass
            case other:
                self._others.append((integer_at(item, "version") or 0, str(other)))

    def _step(self, item: Item, kind: str) -> Step:
        number = integer_at(item, "step") or 0
        step = self._steps.get(number)
        if step is None:
            step = self._steps[number] = _line(item, kind)
            step.name = step.outcome = None
        else:
            _add(step, _line(item, kind))
        return step

    def _call(self, step: Step, item: Item) -> None:
        failed, is_open = item["outcome"] == "failed", item["endVersion"] is None
        if failed:
            step.outcome = "failed"
        digest, hint = text_at(item, "digest"), text_at(item, "hint")
        same = (call for call in step.calls if digest is not None and call.digest == digest)
        called = next(same, None)
        if called is None:
            name = str(item["name"])
            called = Called(name, digest, hint, 1, int(failed), int(is_open))
            step.calls.append(called)
        else:
            called.times += 1
            called.failed += failed
            called.open += is_open
        if (place := place_of(item)) is not None:
            self._called[place] = called
        if item.get("attempt") is not None:
            self._again.append(item)

    def steps(self) -> list[Step]:
        """Return the lines, those of models joined with what came out of them."""
        for place, (number, of) in sorted(numbered(self._again).items()):
            called = self._called[place]
            if called.attempt is None:
                called.attempt, called.attempts = number, of
        lines = sorted([*self._steps.values(), *self._beside, *self._models], key=_place)
        joined = sorted(_joined(lines), key=_place)
        times = [call.begun for call in joined if call.begun is not None]
        # several steps of one time: an import filled it in, and it measures nothing
        if len(times) == 1 or len(set(times)) > 1:
            for step in joined:
                step.after_ms = None if step.begun is None else step.begun - times[0]
        versions = [step.version for step in joined]
        for version, kind in self._others:
            if joined:
                others = joined[max(bisect_right(versions, version) - 1, 0)].others
                others[kind] = others.get(kind, 0) + 1
        return list(_folded(joined))


def _line(item: Item, kind: str, *, depth: int = 0) -> Step:
    version, end_version = integer_at(item, "version"), integer_at(item, "endVersion")
    begun, ended = _time(text_at(item, "startedAt")), _time(text_at(item, "endedAt"))
    if kind == "thread.closed":  # by the log's clock
        begun = ended = None
    return Step(
        step=integer_at(item, "step") or 0,
        version=integer_at(item, "version", "endVersion") or 0,
        kind=kind,
        depth=depth,
        name=text_at(item, "name"),
        thread_id=text_at(item, "threadId"),
        begun=ended if begun is None else begun,
        ended=begun if ended is None else ended,
        end_version=version if end_version is None else end_version,
        open=version is not None and "endVersion" in item and end_version is None,
        outcome=text_at(item, "outcome"),
        suspected=tuple(texts_of(item.get("suspected"))),
    )


def _with_figures(step: Step, item: Item) -> Step:
    step.input_tokens = integer_at(item, "inputTokens")
    step.output_tokens = integer_at(item, "outputTokens")
    step.cost_usd = number_at(item, "costUsd")
    step.computed_calls = int(item["prices"] is not None)
    step.unpriced_calls = int(item["outcome"] == "succeeded" and item["costUsd"] is None)
    return step


def _joined(lines: Iterable[Step]) -> Iterator[Step]:
    """Yield lines, each model call as part of the response that follows it."""
    asked: Step | None = None
    for line in lines:
        is_response = line.kind == "model" and bool(line.calls or line.replied)
        if asked is not None and is_response:
            line.version, line.name = asked.version, asked.name
            _add(line, asked)
            asked = None
        elif asked is not None and line.kind != "gap":  # while the model was busy
            yield asked
            asked = None
        if line.kind == "model" and not is_response:
            asked = line
        else:
            yield line
    if asked is not None:
        yield asked


def _folded(lines: Iterable[Step]) -> Iterator[Step]:
    """Yield lines, the same call one step after another as one."""
    before: Step | None = None
    for line in lines:
        if before is not None and _same_call(before, line):
            before.times += 1
            _add(before, line)
            continue
        if before is not None:
            yield before
        before = line
    if before is not None:
        yield before


def _same_call(before: Step, line: Step) -> bool:
    if before.kind != "model" or before.replied or line.replied or before.outcome != line.outcome:
        return False
    digests = [[called.digest for called in step.calls] for step in (before, line)]
    return len(digests[0]) == 1 and digests[0] == digests[1] and digests[0] != [None]


def _add(step: Step, part: Step) -> None:
    """Count a part of a step in: its times, figures and marks."""
    step.begun = _least(step.begun, part.begun)
    step.ended = _most(step.ended, part.ended)
    step.end_version = max(step.end_version or 0, part.end_version or 0) or None
    step.open = step.open or part.open
    step.input_tokens = _sum(step.input_tokens, part.input_tokens)
    step.output_tokens = _sum(step.output_tokens, part.output_tokens)
    step.cost_usd = _sum(step.cost_usd, part.cost_usd)
    step.computed_calls += part.computed_calls
    step.unpriced_calls += part.unpriced_calls
    if part.outcome == "failed":
        step.outcome = "failed"
    if part.suspected:
        step.suspected = tuple(dict.fromkeys((*step.suspected, *part.suspected)))
    for kind, count in part.others.items():
        step.others[kind] = step.others.get(kind, 0) + count


def _place(step: Step) -> tuple[int, int]:
    return step.version, step.depth


def _time(text: str | None) -> int | None:
    return None if text is None else round(datetime.fromisoformat(text).timestamp() * 1000)


def _sum(total: NumberT | None, more: NumberT | None) -> NumberT | None:
    return more if total is None else total if more is None else total + more


def _least(one: int | None, other: int | None) -> int | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _most(one: int | None, other: int | None) -> int | None:
    return max((time for time in (one, other) if time is not None), default=None)
