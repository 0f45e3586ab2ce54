"""Reader of mini-swe-agent's trajectories, `*.traj.json`: formats 1 and 1.1.

Messages are those of a chat, or of OpenAI's Responses; `extra` has what the agent noted beside.
"""

import re
from collections.abc import Iterator

from agentlog.domain.json.values import JsonValue, object_at, objects_of, text_at
from agentlog.extensions.formats.swe_agents.model_answers import (
    answer_of,
    content_of,
    figures_of,
    outputs_of,
    rest_of,
)
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.fields import Fields, amount_at, milliseconds_of_seconds
from agentlog.projections.readers.history import Format, History
from agentlog.projections.readers.reading import Reading
from agentlog.projections.view import Item

_NAME = "mini-swe-agent"
_KNOWN = (
    "role type object content id status index extra info config actions response raw_output "
    "returncode exception_info interrupt_type exception_type exception exception_str traceback "
    "exit_status submission cost timestamp instance_cost api_calls function_call refusal images "
    "provider_specific_fields annotations audio thinking_blocks reasoning_content summary "
    "encrypted_content logprobs phase tool_call_id call_id output"
).split()
_ENDS = {
    "Submitted": "complete",
    "UserInterruption": "user_request",
}


def _read(document: JsonValue) -> Iterator[History]:
    root = Fields(document, "")
    fields = root.objects("messages")
    is_at_limit = _is_at_limit(object_at(root.item, "info"))
    facts, status = _facts(root, fields[-1].item if fields else {})
    run = _Run(text_at(facts, "model"), is_at_limit=is_at_limit)
    with run.reading.by_content():
        run.reading.keep_left(root, "trajectory")
    for number, message in enumerate(fields):
        run.add(message, number)
    if status:
        reason = run.reason_of(status)
        with run.reading.by_content():
            run.reading.add({"type": "exit", "reason": reason, "message": status})
    yield run.reading.history(metadata=facts)


def _facts(root: Fields, last: Item) -> tuple[Item, str | None]:
    """Return the facts of a run, and how it ended where no message tells it."""
    info, facts = root.inner("info"), dict[str, JsonValue]()
    facts["format"], facts["instance"] = root.text("trajectory_format"), root.text("instance_id")
    status = None
    if info is not None:
        info.take_equal(object_at(last, "extra"))
        if last.get("role") != "exit":
            status = info.text("exit_status")
        stats, config = info.inner("model_stats"), object_at(info.item, "config")
        if stats is not None:  # 0 stands for what is not known
            facts["costUsd"] = stats.amount("instance_cost") or None
            facts["modelCalls"] = stats.amount("api_calls") or None
        facts["agentVersion"] = info.text("mini_version")
        facts["model"] = text_at(object_at(config, "model"), "model_name")
        facts["cwd"] = text_at(object_at(config, "environment"), "cwd")
    return {key: value for key, value in facts.items() if value is not None}, status


def _is_at_limit(info: Item) -> bool:
    """Return whether a run ended by its limit of steps (`DefaultAgent.query`: steps or cost)."""
    limits, stats = object_at(info, "config", "agent"), object_at(info, "model_stats")
    (calls, most), (cost, dearest) = (
        (amount_at(stats, figure), amount_at(limits, limit))
        for figure, limit in (("api_calls", "step_limit"), ("instance_cost", "cost_limit"))
    )
    if calls is not None and most and calls >= most:
        return True
    return cost is None or not dearest or cost < dearest


_READ = ("output", "extra")


_ACTION = re.compile(r"```(?:bash|mswea_bash_command)[^\S\n]*\n(.*?)\n```", re.DOTALL)
_RETURNED = re.compile(
    r"\s*(<exception>)?.*?<returncode>\s*(-?\d{1,10})\s*</returncode>", re.DOTALL
)
_NOT_RUN = re.compile(r"(?:The last command .*? timed out|Command not executed)", re.DOTALL)


def _ending_of(observation: str) -> tuple[int | None, bool]:
    """Return the exit code that an observation of version 1 states, and whether it did not end."""
    head = observation[:2000]
    stated = _RETURNED.match(head)
    if stated is None:
        return None, _NOT_RUN.match(head) is not None
    return int(stated[2]), stated[1] is not None


class _Run:
    """The messages of a run; `model` is the one of its configuration.

    `is_at_limit`: it made as many calls as it may, or nothing says that its cost was at its limit.
    """

    def __init__(self, model: str | None, *, is_at_limit: bool) -> None:
        self.reading = Reading(_NAME, known=_KNOWN)
        self._is_at_limit = is_at_limit
        self._model = model
        self._calls: list[Item] = []
        self._open: list[str] = []
        self._is_text = False  # the open call stood in the text of an answer, as in version 1

    def reason_of(self, status: JsonValue) -> str:
        """Return the reason of an exit; `LimitsExceeded` is of steps or of cost."""
        if status == "LimitsExceeded":
            return "step_limit" if self._is_at_limit else "error"
        return _ENDS.get(status, "error") if isinstance(status, str) else "error"

    def add(self, message: Fields, number: int) -> None:
        """Add the messages of one of the trajectory."""
        extra = message.inner("extra") or Fields({}, message.place)
        at = milliseconds_of_seconds(extra.item.get("timestamp"))
        when: Draft = {} if at is None else {"timestamp": at}
        if at is not None:
            extra.take("timestamp")
        role, kind = message.item.get("role"), message.item.get("type")
        if role == "assistant" or message.item.get("object") == "response":
            self._answer(message, extra, number, when)
        elif (
            role == "tool"
            or kind == "function_call_output"
            or "returncode" in extra.item
            or (role == "user" and self._is_text and self._open)
        ):
            self._result(message, extra, when)
        elif role == "exit":
            self._exit(message, extra, when)
        elif role in ("system", "user"):
            self._add_text(message, extra, number, when)
        else:
            self.reading.keep(message, "message", of_draft=when)

    def _answer(self, message: Fields, extra: Fields, number: int, when: Draft) -> None:
        cost, others = extra.amount("cost"), list[Fields]()
        response: JsonValue = message.item
        if message.item.get("role") != "assistant":
            drafts, others = outputs_of(message.inners("output"))
            rest = {key: message.take(key) for key in message.item if key not in _READ}
            message.put("response", rest_of(rest, {}))
        else:
            response = extra.item.get("response")
            drafts = answer_of(message)
            if isinstance(response, dict):
                extra.put("response", rest_of(response, message.item))
        self._calls = [call for draft in drafts for call in objects_of(draft.get("calls"))]
        drafts += self._written(message, extra, number, drafts)
        self._open = [str(call["id"]) for call in self._calls]
        named = response.get("id") if isinstance(response, dict) else None
        response_id = named if isinstance(named, str) and named else f"import-{number}"
        shared: Draft = {"metadata": {"responseId": response_id}, **when}
        figures = figures_of(response, cost, self._model)
        self.reading.drafts.append({**figures, **shared})
        message.take_equal({"role": "assistant"})
        for n, draft in enumerate(drafts):
            self.reading.add({**draft, **shared}, *[] if n else [message])
        if not drafts:
            self.reading.keep(message, "message", is_known=not others, of_draft=shared)
        for item in others if drafts else ():
            self.reading.keep(item, f"{item.item.get('type')}", of_draft=shared)

    def _written(
        self, message: Fields, extra: Fields, number: int, drafts: list[Draft]
    ) -> list[Draft]:
        """Return the calls of actions that the model wrote as text, the only one of version 1.

        That takes an answer with one block alone for an action (`DefaultAgent.parse_action`).
        """
        listed = extra.item.get("actions")
        texts = [text for draft in drafts if isinstance(text := draft.get("text"), str)]
        blocks = _ACTION.findall("\n".join(texts)) if message.item.get("role") else []
        self._is_text = listed is None and not self._calls and len(blocks) == 1
        if self._is_text:
            listed = [{"command": blocks[0].strip()}]
        actions = objects_of(listed)
        if listed != actions:
            return []
        named: list[Item] = [
            {"command": object_at(call, "args").get("command"), "tool_call_id": call["id"]}
            for call in self._calls
        ]
        if actions == named:
            extra.take("actions")
        if self._calls or not actions or any(action.keys() != {"command"} for action in actions):
            return []
        if "actions" in extra.item:
            extra.take("actions")
        self._calls = [
            {"id": f"action-{number}-{n}", "name": "bash", "args": action}
            for n, action in enumerate(actions)
        ]
        return [{"type": "tool_calls", "calls": [*self._calls]}]

    def _result(self, message: Fields, extra: Fields, when: Draft) -> None:
        text = message.text("output") or content_of(message)
        content = None if text is not None else message.take("content") or message.take("output")
        call_id = message.text("tool_call_id") or message.text("call_id")
        if call_id is None and self._open:
            call_id = self._open[0]
        if call_id in self._open:
            self._open.remove(call_id)
        result: Item = {} if not call_id else {"callId": call_id}
        result["output"] = content if text is None else text
        code, exception = extra.item.get("returncode"), extra.item.get("exception_info")
        if self._is_text and text is not None and code is None:
            code, exception = _ending_of(text)
            message.take_equal({"role": "user"})
        if exception or (isinstance(code, int) and code != 0):
            result["error"] = text or f"exit code {code}"
            result["output"] = None if text is not None else result["output"]
        elif code == 0:
            result["error"] = None
        raw = extra.item.get("raw_output")
        if isinstance(raw, str) and raw in (text or ""):
            extra.take("raw_output")
        extra.take_equal({"exception_info": ""})
        message.take_equal({"role": "tool", "type": "function_call_output"})
        draft: Draft = {"type": "tool_results", "results": [result]}
        if not call_id and text:  # of a command that a person gave
            draft = {"type": "system", "text": text}
        self.reading.add({**draft, **when}, message)

    def _add_text(self, message: Fields, extra: Fields, number: int, when: Draft) -> None:
        """Add what a person or the agent said to the model."""
        text, kind = content_of(message), extra.item.get("interrupt_type")
        if kind == "FormatError" and "response" in extra.item:
            shared: Draft = {"metadata": {"responseId": f"import-{number}"}, **when}
            figures = figures_of(extra.item["response"], extra.amount("cost"), self._model)
            self.reading.drafts.append({**figures, **shared})
        if kind == "UserRejection":
            for call in self._calls:
                asked = {"callId": call["id"], "tool": call["name"], "args": call.get("args")}
                answer = {"callId": call["id"], "approved": False, "reason": text}
                self.reading.drafts.append({"type": "approval_request", **asked, **when})
                self.reading.drafts.append({"type": "approval_response", **answer, **when})
        if not text:
            self.reading.keep(message, "message", is_known=True, of_draft=when)
            return
        is_input = message.take("role") == "user" and kind != "FormatError"
        draft = {"type": "input" if is_input else "system", "text": text}
        self.reading.add({**draft, **when}, message)

    def _exit(self, message: Fields, extra: Fields, when: Draft) -> None:
        text, status = content_of(message), extra.item.get("exit_status")
        error = extra.text("exception_str")
        if error:
            self.reading.drafts.append({"type": "runtime_error", "error": error, **when})
        extra.take_equal({"submission": text})
        message.take("role")
        reason = self.reason_of(status)
        end = text or (status if isinstance(status, str) else "")
        extra.take_equal({"exit_status": end})
        self.reading.add({"type": "exit", "reason": reason, "message": end, **when}, message)


def _is_document(value: JsonValue) -> bool:
    match value:
        case {"trajectory_format": str(name), "messages": list()}:
            return name.startswith(_NAME)
        case _:
            return False


FORMAT = Format(_NAME, "mini-swe-agent trajectories", _read, _is_document, unit="run")
