"""The tool that writes: it says something about a thread, and changes nothing in it."""

from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agentlog.extensions.mcp.answers import Remarked
from agentlog.extensions.mcp.parameters import ApiOf, ThreadId
from agentlog_client.models import Appended
from agentlog_client.operation import Operation
from agentlog_client.operations import threads


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
        remarks: list[Operation[Appended]] = []
        if verdict is not None or score is not None:
            judgement = threads.judge(
                thread_id, verdict, score=score, criterion=criterion, comment=note, on=on, by=by
            )
            remarks.append(judgement)
        elif note is not None:
            remarks.append(threads.note(thread_id, note, on=on, by=by))
        if labels:
            remarks.append(threads.label(thread_id, *labels, by=by))
        if not remarks:
            raise ToolError("give a note, labels, a verdict or a score")
        api = self._api_of(ctx)
        versions = [(await api.send(remark)).version for remark in remarks]
        return Remarked(thread_id=thread_id, versions=versions)
