"""Reader of ATIF trajectories: Harbor's Agent Trajectory Interchange Format, v1.0 to v1.8.

A document is a trajectory, with those of its sub-agents in it. The format is described in
`rfcs/0001-trajectory-format.md` of Harbor.
"""

from collections.abc import Iterator, Mapping, Sequence

from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.values import JsonValue, array_of, object_of
from agentlog.extensions.formats.atif.parts import (
    Workers,
    call_in,
    file_in,
    result_in,
    workers_in,
)
from agentlog.projections.call_texts import value_text
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, milliseconds, text_of
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading
from agentlog.projections.token_words import TokenWords
from agentlog.projections.view import Item

_NAME = "atif"
_KNOWN = (
    "step_id timestamp message reasoning_effort llm_call_count extra is_copied_context content "
    "subagent_trajectory_ref prompt_token_ids completion_token_ids logprobs tool_definitions"
).split()
_FIGURES = TokenWords(
    "prompt_tokens",
    "completion_tokens",
    read="cached_tokens",
    written="extra.cache_creation_input_tokens extra.cache_write_tokens",
    thoughts="extra.reasoning_tokens extra.reasoning_output_tokens",
)
"""Cached tokens are of the prompt's (`Metrics`)."""
_TOTALS = {
    "total_prompt_tokens": "inputTokens",
    "total_completion_tokens": "outputTokens",
    "total_cached_tokens": "cachedInputTokens",
    "total_cost_usd": "costUsd",
    "total_steps": "steps",
}


def _read(document: JsonValue) -> Iterator[History]:
    return _histories(Fields(document, ""), None)


def _histories(root: Fields, parent: str | None) -> Iterator[History]:
    """Yield the history of a trajectory, then those of its sub-agents."""
    steps = root.objects("steps")
    own = root.text("trajectory_id")
    metadata = _facts(root) if own is None else {**_facts(root), "session": root.text("session_id")}
    own = _id_within(parent, own or root.text("session_id"))
    children = list(root.items("subagent_trajectories"))
    reading = Reading(_NAME, known=_KNOWN)
    workers = {name: worker for child in children for name, worker in _worker(child, own)}
    model = metadata.get("model")
    at = milliseconds(steps[0].item.get("timestamp")) if steps else None
    reading.keep_left(root, "trajectory", **({} if at is None else {"timestamp": at}))
    for number, step in enumerate(steps):
        _Step(reading, step, number, model).read(workers)
    known = {key: value for key, value in metadata.items() if value is not None}
    yield reading.history(id=own, parent=parent, metadata=known)
    for child in children:
        yield from _histories(child, own)


def _facts(root: Fields) -> Item:
    agent, totals = root.inner("agent"), root.inner("final_metrics")
    facts: Item = {"format": root.text("schema_version")}
    if agent is not None:
        names = {"name": "agent", "version": "agentVersion", "model_name": "model"}
        facts |= {ours: agent.text(theirs) for theirs, ours in names.items()}
    if totals is not None:
        facts |= {ours: totals.amount(theirs) for theirs, ours in _TOTALS.items()}
    names = {"notes": "notes", "continued_trajectory_ref": "continuedIn"}
    return facts | {ours: root.text(theirs) for theirs, ours in names.items()}


def _id_within(parent: str | None, own: str | None) -> str | None:
    """Return the id of a trajectory: one of a sub-agent is unique only within its parent's."""
    if parent is None or own is None or own.startswith(parent):
        return own
    return f"{parent}:{own}"


def _worker(child: Fields, parent: str | None) -> Iterator[tuple[str, Item]]:
    """Yield what is known of a sub-agent, by each of its ids."""
    ids = [child.item.get("trajectory_id"), child.item.get("session_id")]
    texts = [worker_id for worker_id in ids if isinstance(worker_id, str) and worker_id]
    worker: Item = {"objective": _objective(child.item.get("steps"))}
    thread = _id_within(parent, texts[0]) if texts and parent is not None else None
    if thread is not None and is_thread_id(thread):
        worker["threadId"] = thread
    yield from ((worker_id, worker) for worker_id in texts)


def _objective(steps: JsonValue) -> str:
    for step in array_of(steps):
        match step:
            case {"source": "user", "message": str(text)}:
                return text
            case _:
                pass
    return ""


class _Step:
    """A step of a trajectory: a turn, with the model's answer and the results of its calls."""

    def __init__(self, reading: Reading, step: Fields, number: int, model: JsonValue) -> None:
        self._reading = reading
        self._step = step
        self._model = model
        self._of_answer: Draft = {"metadata": {"responseId": f"import-{number}"}}
        if step.item.get("step_id") == number + 1:
            step.take("step_id")
        self._at = step.time("timestamp")

    def read(self, workers: Workers) -> None:
        source = self._step.item.get("source")
        if self._step.item.get("is_copied_context") is True:
            self._keep("copied_context", is_known=True)
        elif source == "agent":
            self._turn(workers)
        elif source in ("user", "system"):
            kind, text = "input" if source == "user" else "system", self._text()
            drafts: list[Draft] = [{"type": kind, "text": text}] if text else []
            if source == "user" and (files := self._files()):
                drafts = [{"type": kind, **({"text": text} if text else {}), "files": files}]
            self._add([], [*drafts, *self._observed({}, workers)])
        else:
            self._keep("step")

    def _turn(self, workers: Workers) -> None:
        """Add the messages of an agent's turn."""
        calls = self._calls()
        if calls is None:
            self._keep("step")
            return
        drafts: list[Draft] = []
        reasoning, text = self._step.text("reasoning_content"), self._text()
        if reasoning:
            drafts.append({"type": "reasoning", "title": "", "summary": reasoning})
        if text:
            drafts.append({"type": "reply", "text": text})
        if calls:
            drafts.append({"type": "tool_calls", "calls": [*calls]})
        drafts = [{**draft, **self._of_answer} for draft in drafts]
        names = {str(call["id"]): str(call["name"]) for call in calls}
        self._add(self._answer(), [*drafts, *self._observed(names, workers)])

    def _add(self, answer: Sequence[Draft], drafts: Sequence[Draft]) -> None:
        """Add the messages of the step; what is left of it goes with the first, or is kept."""
        self._reading.drafts += ({**answered, **self._of_answer, **self._at} for answered in answer)
        self._step.take("source")
        for number, draft in enumerate(drafts):
            self._reading.add({**draft, **self._at}, *[] if number else [self._step])
        if not drafts:
            self._keep("step", is_known=isinstance(self._step.item.get("message"), str | list))

    def _keep(self, kind: str, *, is_known: bool = False) -> None:
        self._reading.keep(self._step, kind, is_known=is_known, of_draft=self._at)

    def _text(self) -> str | None:
        """Return the text of the message, None if it has none; parts stay beside it."""
        match self._step.item.get("message"):
            case str(text):
                self._step.take("message")
                return text
            case parts:
                return text_of(parts)

    def _files(self) -> list[JsonValue]:
        """Take the files of an input, which the view `atif` has beside it."""
        files = array_of(object_of(self._step.item.get("extra")).get("files"))
        read = [file for file in map(file_in, files) if file is not None]
        extra = self._step.inner("extra") if read and len(read) == len(files) else None
        if extra is None:
            return []
        extra.drop("files")
        return [*read]

    def _calls(self) -> list[Item] | None:
        """Return the calls; None if anything is none."""
        if self._step.item.get("tool_calls") in (None, []):
            self._step.take("tool_calls")
            return []
        calls = [call_in(inner) for inner in self._step.inners("tool_calls")]
        read = [call for call in calls if call is not None]
        return read if read and len(read) == len(calls) else None

    def _answer(self) -> list[Draft]:
        """Return the figures of the model's answer, if a model was asked."""
        metrics = self._step.inner("metrics")
        model = self._step.text("model_name") or self._model
        if self._step.item.get("llm_call_count") == 0 or (metrics is None and model is None):
            return []
        draft: Draft = {"type": "llm_response"}
        if model is not None:
            draft["model"] = model
        if metrics is not None:
            figures = _FIGURES.figures(metrics.item)
            metrics.drop(*_FIGURES.keys(metrics.item))
            draft |= {"usage": figures} if figures else {}
            cost = metrics.amount("cost_usd")
            draft |= {} if cost is None else {"costUsd": cost}
        return [draft]

    def _observed(self, names: Mapping[str, str], workers: Workers) -> Iterator[Draft]:
        """Yield the results that the step observed, and the sub-agents that they are of."""
        observation = self._step.inner("observation")
        seen = observation.inners("results") if observation is not None else []
        results, ends = list[Item](), list[Draft]()
        for item in seen:
            result = result_in(item, names)
            if "callId" in result:
                results.append(result)
            elif done := result.get("error") or result["output"]:  # what was done without a call
                ends.append({"type": "system", "text": value_text(done)})
            for worker_id, worker in workers_in(item.item, workers):
                yield {"type": "worker_spawned", "workerId": worker_id, **worker}
                output = result["output"]
                ends.append({"type": "worker_result", "workerId": worker_id, "output": output})
        if results:
            yield {"type": "tool_results", "results": [*results]}
        yield from ends


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"schema_version": str(version), "agent": dict(), "steps": list()}:
            return version.startswith("ATIF-v")
        case _:
            return False


FORMAT = Format(_NAME, "ATIF trajectories", _read, _is_document, unit="trajectory")
