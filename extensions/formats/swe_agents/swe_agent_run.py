"""Messages of one run of SWE-agent.

`history` has what the model saw and said, `trajectory` the steps in the environment. Both are of
one moment: SWE-agent adds each step to both and then writes the file (`sweagent/agent/agents.py`,
`DefaultAgent.step`). A step that belongs to no answer of the history was refused, or ended the run:
it stands where it was.
"""

from collections.abc import Sequence

from agentlog.domain.json.text import print_bytes
from agentlog.domain.json.values import JsonValue, text_at, texts_of
from agentlog.extensions.formats.swe_agents.swe_agent_tools import result_of, tool_of
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, text_of
from agentlog.projections.readers.messages.calls import take_calls
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item


class SweAgentRun:
    """Adds the messages of a run; each answer of the model has an `answer`, if any was asked."""

    def __init__(self, reading: Reading, steps: Sequence[Fields], answer: Draft | None) -> None:
        self._reading = reading
        self._steps = list(steps)
        self._answer = answer
        self._seen = set[bytes]()
        self._step: Fields | None = None
        self._calls: dict[str, str | None] = {}  # tools of the calls before, by id

    def add(self, history: Sequence[Fields], status: str) -> None:
        """Add the messages of a history, and of the steps; `status` is how the run ended."""
        self._seen = {_printed(item.item) for item in history}
        for number, item in enumerate(history):
            self._item(item, number)
        self._close()
        steps, self._steps = self._steps, []
        for number, step in enumerate(steps):
            response = step.item.get("response")
            is_told = response == step.item.get("thought") and not step.item.get("action")
            if step is steps[-1] and is_told and "exit_" in status and step.text("response"):
                step.take("thought")
                self._reading.add({"type": "runtime_error", "error": response}, step)
            else:
                self._alone(step, f"{len(history)}-{number}")

    def _item(self, item: Fields, number: int) -> None:
        role = item.item.get("role")
        if item.item.get("is_demo") is True:
            self._reading.keep(item, "demonstration", is_known=True)
        elif role == "assistant":
            self._close()
            for n, step in enumerate(self._steps_before(item)):
                self._alone(step, f"{number}-{n}")
            self._assistant(item, f"{number}")
        elif role == "tool" or (role == "user" and self._calls):
            self._observed(item)
        elif role in ("system", "user") and (text := _text(item)):
            item.take("role")
            kind = "input" if role == "user" else "system"
            self._reading.add({"type": kind, "text": text}, item)
        else:
            self._reading.keep(item, "message", is_known=role in ("system", "user"))

    def _steps_before(self, item: Fields) -> Sequence[Fields]:
        """Return the steps before that of an answer, which becomes the current one."""
        response, action = item.item.get("content"), item.item.get("action")
        at = next(
            (n for n, s in enumerate(self._steps) if s.item.get("response") == response), None
        )
        if at is None and self._steps and self._steps[0].item.get("action") == action:
            at = 0
        if at is None:
            return []
        before, self._step = self._steps[:at], self._steps[at]
        keys = {"response": "content", "action": "action", "thought": "thought"}
        self._step.take_equal({key: item.item.get(ours) for key, ours in keys.items()})
        del self._steps[: at + 1]
        return before

    def _assistant(self, item: Fields, number: str) -> None:
        text, thought = _text(item), item.item.get("thought")
        thinking = text_of(item.item.get("thinking_blocks"), "thinking")
        drafts: list[Draft] = []
        if thinking:
            drafts.append({"type": "reasoning", "title": "", "summary": thinking})
        if isinstance(thought, str) and text is not None and thought in text:
            item.take("thought")
        if text:
            drafts.append({"type": "reply", "text": text})
        calls = take_calls(item.inners("tool_calls"))
        if not calls and (call := _action(item, number)) is not None:
            calls = [call]
        if calls:
            drafts.append({"type": "tool_calls", "calls": [*calls]})
        self._calls = {str(call["id"]): text_at(call, "name") for call in calls}
        item.take_equal({"role": "assistant", "action": None, "tool_calls": None})
        self._say(drafts, item, number)

    def _say(self, drafts: Sequence[Draft], source: Fields, number: str) -> None:
        """Add what the model answered, after the answer itself."""
        shared: Draft = {"metadata": {"responseId": f"import-{number}"}}
        if self._answer is not None:
            self._reading.drafts.append({**self._answer, **shared})
        for n, draft in enumerate(drafts):
            self._reading.add({**draft, **shared}, *[] if n else [source])
        if not drafts:
            self._reading.keep(source, "message", is_known=True, of_draft=shared)

    def _observed(self, item: Fields) -> None:
        """Add the results of the calls before, with what is left of their step."""
        text, ids = _text(item), texts_of(item.item.get("tool_call_ids"))
        if item.item.get("tool_call_ids") == ids and all(ids):
            self._calls = {call_id: self._calls.get(call_id) for call_id in ids}
            item.take("tool_call_ids")
        output = item.take("content") if text is None else text
        item.take("role")
        step, self._step = self._step, None
        if step is not None:
            observation = step.item.get("observation")
            if isinstance(observation, str) and observation in (text or ""):
                step.take("observation")
            self._only_new(step)
        results = self._results(output) or [{"output": output}]
        draft: Draft = {"type": "tool_results", "results": results}
        self._reading.add(draft, item, parts=[] if step is None else [step])
        self._calls = {}

    def _results(self, output: JsonValue) -> list[JsonValue]:
        """Return what the calls before gave back."""
        return [{"callId": key, **result_of(tool, output)} for key, tool in self._calls.items()]

    def _close(self) -> None:
        """Add what is left of a step that no item of the history shows the observation of."""
        step, self._step = self._step, None
        if step is None:
            return
        self._only_new(step)
        observation = step.text("observation")
        if observation and self._calls:
            results = self._results(observation)
            self._reading.add({"type": "tool_results", "results": results}, step)
        else:
            self._reading.keep_left(step, "step")
        self._calls = {}

    def _only_new(self, step: Fields) -> None:
        """Leave those messages to the model that neither the history nor a step before has."""
        for key in ("query", "messages"):
            messages = step.item.get(key)
            if not isinstance(messages, list):
                continue
            printed = {_printed(message): message for message in messages}
            new = [message for text, message in printed.items() if text not in self._seen]
            self._seen |= printed.keys()
            step.take(key)
            if new:
                step.put(key, new)

    def _alone(self, step: Fields, number: str) -> None:
        """Add the messages of a step that the history does not have."""
        self._only_new(step)
        text = step.text("response")
        step.take_equal({"thought": text})
        drafts: list[Draft] = [{"type": "reply", "text": text}] if text else []
        if (call := _action(step, number)) is not None:
            drafts.append({"type": "tool_calls", "calls": [call]})
        observation = step.text("observation") if call is not None else None
        self._say(drafts, step, number)
        if call is not None and observation:
            tool = text_at(call, "name")
            result: Item = {"callId": call["id"], "name": tool, **result_of(tool, observation)}
            self._reading.drafts.append({"type": "tool_results", "results": [result]})


def _action(source: Fields, number: str) -> Item | None:
    """Take the call of an action that the model wrote as text; None where there is none."""
    action = source.item.get("action")
    if not isinstance(action, str) or not action.strip():
        return None
    source.take("action")
    return {"id": f"action-{number}", "name": tool_of(action), "args": {"command": action}}


def _text(item: Fields) -> str | None:
    """Return the text of an item; parts stay beside it, but for a single plain one."""
    content = item.item.get("content")
    text = content if isinstance(content, str) else text_of(content)
    if content in (text, [{"type": "text", "text": text}]):
        item.take("content")
    return text


def _printed(value: JsonValue) -> bytes:
    return print_bytes(value, sort_keys=True)
