"""The outline of a thread: a line a step, from the items of the view `timeline`."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator

from agentlog.domain.catalogue import FACT_TYPES
from agentlog.domain.json.values import integer_at, text_at
from agentlog.projections.outcomes.attempts import CallPlace, numbered, place_of
from agentlog.projections.outcomes.words import worse
from agentlog.projections.outline.step import Called, Step, add_to, grow, line_of, measured
from agentlog.projections.view import Item


def outline(items: Iterable[Item]) -> list[Step]:
    """Return the steps of a thread, in order, equal ones in a row as one."""
    lines = _Lines()
    for item in items:
        lines.add(item)
    return lines.steps()


class _Lines:
    """Collects items in any order: spans come when they end."""

    def __init__(self) -> None:
        self._steps: dict[int, Step] = {}  # of inputs and model responses, by number
        self._models: list[Step] = []
        self._told: dict[str | None, Step] = {}  # of those, by the id of the response
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
            case "model" | "llm_response":
                self._model(item)
            case "approval" | "worker" as kind:
                self._beside.append(line_of(item, kind, depth=1))
            case "gap" | "runtime_error" | "exit" | "shutdown" | "thread.closed" as kind:
                self._beside.append(line_of(item, kind))
            case other if other in FACT_TYPES or "group" in item:  # groups have lines
                pass
            case other:
                self._others.append((integer_at(item, "version") or 0, str(other)))

    def _model(self, item: Item) -> None:
        call = self._told.get(text_at(item, "responseId"))
        if item["kind"] == "model":
            self._models.append(measured(item))
            self._told[text_at(item, "responseId")] = self._models[-1]
        elif call is not None:
            grow(call, item)

    def _step(self, item: Item, kind: str) -> Step:
        number = integer_at(item, "step") or 0
        step = self._steps.get(number)
        if step is None:
            step = self._steps[number] = line_of(item, kind)
            step.name = step.outcome = None
        else:
            add_to(step, line_of(item, kind))
        return step

    def _call(self, step: Step, item: Item) -> None:
        outcome, is_open = text_at(item, "outcome"), item["endVersion"] is None
        step.outcome = worse(step.outcome, outcome)
        digest, hint = text_at(item, "digest"), text_at(item, "hint")
        same = (call for call in step.calls if digest is not None and call.digest == digest)
        called = next(same, None)
        if called is None:
            name = str(item["name"])
            called = Called(name, digest, hint, times=0)
            step.calls.append(called)
        called.times += 1
        called.failed += outcome == "failed"
        called.told += outcome == "told"
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
        joined = sorted(_join_calls(lines), key=_place)
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
        return list(_fold_repeats(joined))


def _join_calls(lines: Iterable[Step]) -> Iterator[Step]:
    """Yield lines, each model call as part of the response that follows it."""
    request: Step | None = None
    for line in lines:
        is_response = line.kind == "model" and bool(line.calls or line.replied)
        if request is not None and is_response:
            line.version, line.name = request.version, request.name
            add_to(line, request)
            request = None
        elif request is not None and line.kind != "gap":  # while the model was busy
            yield request
            request = None
        if line.kind == "model" and not is_response:
            request = line
        else:
            yield line
    if request is not None:
        yield request


def _fold_repeats(lines: Iterable[Step]) -> Iterator[Step]:
    """Yield lines, the same call one step after another as one."""
    before: Step | None = None
    for line in lines:
        if before is not None and _same_call(before, line):
            before.times += 1
            add_to(before, line)
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


def _place(step: Step) -> tuple[int, int]:
    return step.version, step.depth
