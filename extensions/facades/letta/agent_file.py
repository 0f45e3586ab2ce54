"""Agents as Letta's files (`.af`, as letta 0.16 has them): out of a thread, and into one."""

from collections.abc import Iterator, Sequence
from hashlib import sha256

from agentlog.domain.drafts import Origin
from agentlog.domain.errors import AgentlogError, InvalidMessage
from agentlog.domain.identifiers import derived_message_id
from agentlog.domain.json.values import JsonValue, object_of, objects_of
from agentlog.infrastructure.threads import Threads
from agentlog.projections.readers.registry import choose_format
from agentlog.projections.view import Item

_AGENT = "agent-0"
_MORE = ("groups", "files", "sources", "tools", "mcp_servers", "skills")


def file_of(agent: Item, items: Sequence[Item]) -> Item:
    """Return an agent with its messages as a file; each item is a message of it."""
    messages: list[JsonValue] = [
        {**message, "id": f"message-{n}", "agent_id": _AGENT, "created_at": item["date"]}
        for n, (item, message) in enumerate((item, _message(item)) for item in items)
    ]
    blocks = [{**block, "id": f"block-{n}"} for n, block in enumerate(objects_of(agent["blocks"]))]
    kept = ("name", "description", "agent_type", "system", "llm_config", "tags", "metadata")
    of_agent: Item = {
        "id": _AGENT,
        **{key: agent[key] for key in kept},
        "messages": messages,
        "in_context_message_ids": [f"message-{n}" for n in range(len(messages))],
        "block_ids": [block["id"] for block in blocks],
        "tool_ids": [],
    }
    return {
        "agents": [of_agent],
        "blocks": [*blocks],
        **{key: [] for key in _MORE},
        "metadata": {"source": "agentlog"},
        "created_at": agent["updated_at"],
    }


def _message(item: Item) -> Item:
    match item:
        case {"message_type": "system_message", "content": content}:
            return {"role": "system", "content": _parts(content)}
        case {"message_type": "user_message", "content": content}:
            return {"role": "user", "content": _parts(content)}
        case {"message_type": "assistant_message", "content": content}:
            return {"role": "assistant", "content": _parts(content)}
        case {"message_type": "reasoning_message", "reasoning": thought}:
            return {"role": "assistant", "content": [{"type": "reasoning", "reasoning": thought}]}
        case {"message_type": "tool_call_message"}:
            return {"role": "assistant", "tool_calls": _calls(item)}
        case {"message_type": "approval_request_message"}:
            return {"role": "approval", "tool_calls": _calls(item)}
        case {"message_type": "approval_response_message"}:
            return {"role": "approval", "approvals": item.get("approvals")}
        case {"message_type": "tool_return_message", "tool_call_id": call_id}:
            return {"role": "tool", "tool_call_id": call_id, "tool_returns": [*_returns(item)]}
        case _:
            return {"role": "summary", "content": [object_of(item)]}


def _parts(content: JsonValue) -> JsonValue:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _calls(item: Item) -> list[JsonValue]:
    return [
        {
            "id": call["tool_call_id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": call["arguments"]},
        }
        for call in objects_of(item.get("tool_calls") or [item.get("tool_call")])
    ]


def _returns(item: Item) -> Iterator[Item]:
    for returned in objects_of(item.get("tool_returns") or [item]):
        yield {
            "tool_call_id": returned["tool_call_id"],
            "status": returned["status"],
            "func_response": returned["tool_return"],
        }


def take_file(threads: Threads, document: JsonValue, body: bytes, origin: Origin) -> list[str]:
    """Append each agent of a file as a thread; return their ids, the same for the same file.

    Raises:
        InvalidMessage: it is no file of agents.
        UnknownFormat: no extension is installed that reads such files.
    """
    agent_file = choose_format("letta-agent")
    if not agent_file.is_document(document):
        raise InvalidMessage.at("file", "no agent file of Letta (.af)")
    name = sha256(body).hexdigest()[:32]
    requests = []
    for n, history in enumerate(agent_file.read(document)):
        thread_id = f"agent-{name}" if n == 0 else f"agent-{name}-{n}"
        drafts: list[JsonValue] = [
            {"id": derived_message_id(thread_id, place), **draft}
            for place, draft in enumerate(history.drafts)
        ]
        metadata: Item = {**history.metadata, "source": agent_file.name}
        started: Item = {"type": "thread.started", "policy": "record", "metadata": metadata}
        requests.append(threads.request(thread_id, drafts, facts=[started], origin=origin))
    for outcome in threads.append_many(requests):
        if isinstance(outcome, AgentlogError):
            raise outcome
    return [request.thread_id for request in requests]
