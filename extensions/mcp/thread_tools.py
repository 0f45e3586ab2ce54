"""Tools that find and read threads."""

from typing import Annotated, Any

from mcp.server.mcpserver import Context
from pydantic import Field

from agentlog.domain.json.text import print_text
from agentlog.extensions.mcp.answers import (
    Difference,
    Forks,
    ForkSummary,
    MessageText,
    ThreadEvent,
    ThreadPage,
    Threads,
    ThreadSummary,
    ViewPage,
)
from agentlog.extensions.mcp.pages import MOST_BYTES, fitted, items_that_fit, models_that_fit
from agentlog.extensions.mcp.parameters import (
    After,
    ApiOf,
    At,
    IndexedFilter,
    ThreadId,
    View,
)

_PART = 12_000
"""Characters of a part of a message."""


class ThreadTools:
    """Tools about threads, by the API that `api_of` returns."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    async def find_threads(
        self,
        ctx: Context,
        filter: IndexedFilter = None,  # noqa: A002 - its name everywhere
        after: After = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> Threads:
        """List threads of agents, most recently changed first."""
        answer = await self._api_of(ctx).get(
            "/v1/threads",
            filter=filter,
            after=after,
            limit=limit,
        )
        threads = [_thread(row) for row in answer["items"]]
        page = models_that_fit(threads)
        all_fit = len(page) == len(threads)
        following = answer["next"] if all_fit else str(answer["items"][len(page) - 1]["position"])
        return Threads(threads=page, next=following)

    async def read_thread(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        thread_id: ThreadId,
        at: At = None,
        filter: Annotated[  # noqa: A002 - its name everywhere
            str | None, Field(description="only some types, as type:tool_calls or type:reply")
        ] = None,
        after: After = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> ThreadPage:
        """Read what happened in a thread, in order: messages and facts, long texts cut."""
        answer = await self._api_of(ctx).get(
            "/v1/threads/{}/messages",
            thread_id,
            at=at,
            filter=filter,
            after=after,
            limit=limit,
            files="linked",
        )
        events = [_event(row) for row in answer["items"]]
        page = models_that_fit(events)
        following = answer["next"] if len(page) == len(events) else str(page[-1].version)
        return ThreadPage(thread_id=thread_id, events=page, next=following)

    async def read_message(
        self,
        ctx: Context,
        thread_id: ThreadId,
        message_id: str,
        offset: Annotated[int, Field(ge=0, description="where to begin, in characters")] = 0,
    ) -> MessageText:
        """Read one message whole, as JSON text in parts."""
        answer = await self._api_of(ctx).get(
            "/v1/threads/{}/messages/{}", thread_id, message_id, files="linked"
        )
        text = print_text(answer["message"])
        end = min(offset + _PART, len(text))
        return MessageText(
            thread_id=thread_id,
            message_id=message_id,
            text=text[offset:end],
            offset=offset,
            total=len(text),
            next_offset=end if end < len(text) else None,
        )

    async def read_view(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        thread_id: ThreadId,
        view: View = "openai",
        at: At = None,
        after: After = None,
        limit: Annotated[int, Field(ge=1, le=200)] = 50,
    ) -> ViewPage:
        """Read a thread in a view at a moment, such as exactly what the model was sent then."""
        api, target = self._api_of(ctx), ("/v1/threads/{}/views/{}", thread_id, view)
        answer = await api.get(*target, at=at, after=after, limit=limit)
        items = [fitted(item) for item in answer.get("items", ())]
        shown = items_that_fit(items)
        if len(shown) < len(items):  # for the cursor of what is shown
            at_same = str(answer["version"])
            answer = await api.get(*target, at=at_same, after=after, limit=len(shown))
        return ViewPage(
            thread_id=thread_id,
            view=view,
            version=answer["version"],
            items=None if "state" in answer else shown,
            state=fitted(answer.get("state")),
            next=answer.get("next"),
        )

    async def list_forks(self, ctx: Context, thread_id: ThreadId) -> Forks:
        """List the tree of forks that a thread stands in: copies of it that went on otherwise."""
        answer = await self._api_of(ctx).get("/v1/threads/{}/forks", thread_id)
        rows = [
            ForkSummary(
                thread_id=row["threadId"],
                depth=row["depth"],
                status=row["status"],
                version=row["version"],
                forked_from=None if row["forkedFrom"] is None else row["forkedFrom"]["thread"],
                forked_at=None if row["forkedFrom"] is None else row["forkedFrom"]["version"],
                edits=0 if row["forkedFrom"] is None else len(row["forkedFrom"]["edits"]),
                changes=replay.get("changes"),
                live_calls=replay.get("liveCalls"),
                unmet=replay.get("unmet"),
                check=replay.get("check"),
            )
            for row in answer["items"]
            for replay in [row["replay"] or {}]
        ]
        shown = models_that_fit(rows)
        return Forks(threads=shown, truncated=answer["truncated"] or len(shown) < len(rows))

    async def diff(
        self,
        ctx: Context,
        thread_id: ThreadId,
        begin: Annotated[str | None, Field(description="a moment; default the beginning")] = None,
        end: Annotated[str | None, Field(description="a moment; default the present")] = None,
        view: View = "agent-state",
    ) -> Difference:
        """Tell what changed in one thread's view between two moments."""
        given = {"from": begin, "to": end}
        answer = await self._api_of(ctx).get("/v1/threads/{}/diff", thread_id, view=view, **given)
        rest = {"threadId", "from", "to"}
        return Difference(
            thread_id=thread_id,
            view=view,
            from_version=answer["from"],
            to_version=answer["to"],
            changes=fitted({key: value for key, value in answer.items() if key not in rest}),
        )


def _thread(row: dict[str, Any]) -> ThreadSummary:
    shown: dict[str, Any] = {
        "goal": fitted(row["goal"], MOST_BYTES // 8),
        "metadata": fitted(row["metadata"], MOST_BYTES // 8),
    }
    return ThreadSummary(
        thread_id=row["threadId"],
        goal=shown["goal"],
        status=row["status"],
        version=row["version"],
        anomalies=row["anomalies"],
        parent=row["parent"],
        metadata=shown["metadata"] if isinstance(shown["metadata"], dict) else {},
        started_at=row["startedAt"],
        updated_at=row["updatedAt"],
    )


def _event(row: dict[str, Any]) -> ThreadEvent:
    message = row["message"]
    message_id = message.get("id") if isinstance(message, dict) else None
    if isinstance(message, dict):
        message = {key: value for key, value in message.items() if key not in {"id", "type"}}
    return ThreadEvent(
        version=row["version"],
        message_id=message_id,
        type=row["type"],
        recorded_at=row["recordedAt"],
        message=fitted(message),
        redacted="redacted" in row,
    )
