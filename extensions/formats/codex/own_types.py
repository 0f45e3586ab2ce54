"""Lines of Codex's rollouts: each is an envelope with a payload, older ones are the payload."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at, texts_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types.registry import Fields, Mark, OwnTypes, Text, joined, mark
from agentlog.projections.view import Item


def _of_payload(text: Text) -> Text:
    return lambda fields: text(object_of(fields.get("payload")) or fields)


def _started(fields: Fields) -> str:
    window = fields.get("model_context_window")
    return "" if window is None else f"context {value_text(window)} tokens"


def _ended(fields: Fields) -> str:
    return joined(text_at(fields, "reason"), text_at(fields, "last_agent_message"))


def _item(fields: Fields) -> str:
    item = object_of(fields.get("item"))
    kind = text_at(item, "type")
    if kind == "CommandExecution":
        return joined(_command(item.get("command")), _exit(item))
    parts = [text_at(object_of(part), "text") for part in array_of(item.get("content"))]
    return joined(kind, " ".join([*filter(None, parts), *texts_of(item.get("summary_text"))]))


def _command(command: JsonValue) -> str:
    words = [*texts_of(command)]
    shell = len(words) > 1 and words[1] in {"-c", "-lc"}
    return (" ".join(words[2:] if shell else words)) or value_text(command or "")


def _exit(fields: Fields) -> str | None:
    code = fields.get("exit_code")
    return f"exit {value_text(code)}" if code else None


def _executed(fields: Fields) -> str:
    return joined(_command(fields.get("command")), _exit(fields))


def _patched(fields: Fields) -> str:
    paths = ", ".join(object_of(fields.get("changes")))
    has_failed = fields.get("success") is False
    return joined("failed" if has_failed else None, paths, text_at(fields, "stderr", "stdout"))


def _tokens(fields: Fields) -> str:
    info = object_of(fields.get("info"))
    last, whole = (object_of(info.get(f"{name}_token_usage")) for name in ("last", "total"))
    window = info.get("model_context_window")
    used = f"{_figure(last, 'input_tokens')} → {_figure(last, 'output_tokens')} tokens"
    size = None if window is None else f"context {value_text(window)}"
    return joined(used, f"{_figure(whole, 'total_tokens')} in all", size) if last else ""


def _figure(usage: Fields, name: str) -> str:
    figure = usage.get(name)
    return "?" if figure is None else value_text(figure)


def _context(fields: Fields) -> str:
    approvals = text_at(fields, "approval_policy")
    sandbox = text_at(object_of(fields.get("sandbox_policy")), "type", "mode")
    asks = None if approvals is None else f"asks {approvals}"
    return joined(text_at(fields, "model"), asks, sandbox, text_at(fields, "cwd"))


def _session(fields: Fields) -> str:
    return joined(text_at(fields, "originator"), text_at(fields, "cli_version", "version"),
                  text_at(fields, "cwd"))  # fmt: skip


def _searched(fields: Fields) -> str:
    action = object_of(fields.get("action"))
    return joined(text_at(action, "query", "url") or text_at(fields, "query"))


def _turn(kind: str, name: str) -> Mark:
    def read(fields: Fields) -> Item | None:
        return mark(kind, text_at(object_of(fields.get("payload")), "turn_id") or name, name)

    return read


_OF_PAYLOADS: Mapping[str, Text] = {
    "task_started": _started,
    "task_complete": _ended,
    "turn_aborted": _ended,
    "item_completed": _item,
    "exec_command_end": _executed,
    "patch_apply_end": _patched,
    "token_count": _tokens,
    "turn_context": _context,
    "session_meta": _session,
    "web_search_call": _searched,
    "web_search_end": _searched,
}
_MARKS: Mapping[str, Mark] = {
    "task_started": _turn("begin", "turn"),
    "task_complete": _turn("end", "turn"),
    "turn_aborted": _turn("end", "turn"),
    "entered_review_mode": _turn("begin", "review"),
    "exited_review_mode": _turn("end", "review"),
}
OWN_TYPES = OwnTypes({kind: _of_payload(text) for kind, text in _OF_PAYLOADS.items()}, _MARKS)
