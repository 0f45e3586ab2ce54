"""Sub-agents in a session of Claude Code: the calls that send them off, and how they end.

One in the foreground ends with the result of its call. One in the background ends with a notice
that the program writes into the session, as the user's words or among what waits for its turn.
"""

import re
from collections.abc import Iterator, Sequence

from agentlog.domain.identifiers import is_thread_id
from agentlog.domain.json.values import array_of, object_at
from agentlog.extensions.formats.claude_code.fields import worker_thread
from agentlog.extensions.formats.workers import came_back
from agentlog.projections.readers.messages.anthropic import text_of
from agentlog.projections.view import Item

_NOTICE = re.compile(
    r"<task-notification>\s*<task-id>(?P<agent>[^<]*)</task-id>(?P<rest>.*?)</task-notification>",
    re.DOTALL,
)
_STATUS = re.compile(r"<status>(?P<name>[^<]*)</status>")
_RESULT = re.compile(r"<result>(?P<text>.*)</result>", re.DOTALL)
_SUMMARY = re.compile(r"<summary>(?P<text>.*?)</summary>", re.DOTALL)


def worker_sent(line: Item, args: Item, session: str) -> Item | None:
    """Return the fields of the sub-agent that a call with these arguments sent off."""
    match line.get("toolUseResult"), args:
        case {"agentId": str(agent)}, {"prompt": str(objective)} if agent:
            sent: Item = {"workerId": agent, "objective": objective}
            if isinstance(model := args.get("model"), str):
                sent["model"] = model
            thread = worker_thread(session, agent)
            return {**sent, "threadId": thread} if is_thread_id(thread) else sent
        case _:
            return None


def worker_back(line: Item, results: Sequence[Item]) -> Iterator[tuple[str, Item]]:
    """Yield the sub-agent that came back with the result of a call, and its output."""
    ended = object_at(line, "toolUseResult")
    match ended, results:
        case {"agentId": str(agent), "status": "completed"}, [result]:
            answer = text_of(array_of(ended.get("content"))) or text_of(result.get("content"))
            yield agent, came_back(answer, "completed")
        case _:
            pass


def notices_in(text: str) -> Iterator[tuple[str, Item]]:
    """Yield the tasks that ended by the notices in a text, and what they came back with."""
    for notice in _NOTICE.finditer(text):
        rest = notice["rest"]
        status = _STATUS.search(rest)
        if status is not None:
            answer = _RESULT.search(rest) or _SUMMARY.search(rest)
            yield notice["agent"], came_back(answer["text"] if answer else "", status["name"])
