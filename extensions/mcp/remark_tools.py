"""The tool that writes: it says something about a thread, and changes nothing in it."""

from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agentlog.domain.json.values import JsonObject
from agentlog.extensions.mcp.answers import Remarked
from agentlog.extensions.mcp.http_api import path_of
from agentlog.extensions.mcp.parameters import ApiOf, ThreadId


class RemarkTools:
    """A tool about one thread, by the API that `api_of` returns."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    async def remark(  # noqa: PLR0913, PLR0917 - one parameter a field
        self,
        ctx: Context,
        thread_id: ThreadId,
        note: Annotated[str | None, Field(description="a comment for people")] = None,
        labels: Annotated[list[str] | None, Field(description="labels to give")] = None,
        verdict: Annotated[str | None, Field(description="pass, fail, or another word")] = None,
        score: Annotated[float | None, Field(description="with a verdict or instead")] = None,
        criterion: Annotated[
            str | None, Field(description="what it is judged by; default all in all")
        ] = None,
        on: Annotated[
            int | None, Field(description="version of the event it is about; default the thread")
        ] = None,
        by: Annotated[str | None, Field(description="who says so")] = None,
    ) -> Remarked:
        """Leave a note, labels or a judgement on a thread, only where the user asked for it."""
        about: JsonObject = {} if on is None else {"on": on}
        judged = verdict is not None or score is not None
        remarks: list[JsonObject] = []
        if judged:
            judgement: JsonObject = {"criterion": criterion, "verdict": verdict, "score": score}
            comment: JsonObject = {} if note is None else {"comment": note}
            remarks.append({"type": "thread.judged", **judgement, **comment, **about})
        elif note is not None:
            remarks.append({"type": "thread.noted", "text": note, **about})
        if labels:
            remarks.append({"type": "thread.labelled", "add": [*labels]})
        if not remarks:
            raise ToolError("give a note, labels, a verdict or a score")
        metadata: JsonObject = {} if by is None else {"actor": by}
        versions: list[int] = []
        for remark in remarks:
            path = path_of("threads", thread_id, "remarks")
            answer = await self._api_of(ctx).post(path, {**remark, "metadata": metadata})
            versions.append(answer["version"])
        return Remarked(thread_id=thread_id, versions=versions)
