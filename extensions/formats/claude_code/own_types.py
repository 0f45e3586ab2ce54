"""Lines of Claude Code's sessions."""

from collections.abc import Mapping

from agentlog.domain.json.values import JsonValue, array_of, object_of, text_at, texts_of
from agentlog.projections.call_texts import value_text
from agentlog.projections.own_types.registry import Fields, OwnTypes, Text, distinguishing, joined


def _attachment(fields: Fields) -> str:
    attached = object_of(fields.get("attachment"))
    about = {name: value for name, value in attached.items() if name != "type"}
    kind = (text_at(attached, "type") or "").replace("_", " ")
    return joined(kind, text_at(about, "filename", "displayPath") or distinguishing(about))


def _progress(fields: Fields) -> str:
    """Return what a sub-agent, a hook or a command does while its call runs."""
    data = object_of(fields.get("data"))
    kind = (text_at(data, "type") or "").replace("_", " ")
    message = object_of(data.get("message"))
    content = object_of(message.get("message")).get("content") or message.get("content")
    called = [text_at(object_of(part), "name", "text") for part in array_of(content)]
    about = text_at(data, "prompt", "command", "hookName", "output")
    return joined(kind, ", ".join(filter(None, called)), about)


def _queue(fields: Fields) -> str:
    return joined(text_at(fields, "operation"), text_at(fields, "content"))


def _cost(fields: Fields) -> str:
    usd = fields.get("totalCostUSD")
    models = ", ".join(object_of(fields.get("modelUsage")))
    return joined(None if usd is None else f"${value_text(usd)} so far", models)


def _request(fields: Fields) -> str:
    return joined(text_at(object_of(fields.get("params")), "model"), text_at(fields, "querySource"))


def _files(fields: Fields) -> str:
    backups = object_of(object_of(fields.get("snapshot")).get("trackedFileBackups"))
    return ", ".join(backups) or "no files"


def _tools(fields: Fields) -> str:
    return ", ".join(texts_of(fields.get("tools")))


def _compacted(fields: Fields) -> str:
    about = object_of(fields.get("compactMetadata"))
    tokens: JsonValue = about.get("preTokens")
    size = None if tokens is None else f"{value_text(tokens)} tokens before"
    return joined(text_at(about, "trigger"), size)


def _turn(fields: Fields) -> str:
    took = fields.get("durationMs")
    return "" if took is None else f"{value_text(took)} ms"


def _only(*names: str) -> Text:
    return lambda fields: text_at(fields, *names) or ""


_TEXTS: Mapping[str, Text] = {
    "agent-name": _only("agentName"),
    "ai-title": _only("aiTitle"),
    "api-request": _request,
    "attachment": _attachment,
    "cost-state": _cost,
    "custom-title": _only("customTitle"),
    "file-history-snapshot": _files,
    "last-prompt": _only("lastPrompt"),
    "mode": _only("mode"),
    "permission-mode": _only("permissionMode"),
    "pr-link": _only("prUrl"),
    "progress": _progress,
    "queue-operation": _queue,
    "summary": _only("summary"),
    "system-compact_boundary": _compacted,
    "system-turn_duration": _turn,
    "tools-used": _tools,
}
OWN_TYPES = OwnTypes(_TEXTS)
