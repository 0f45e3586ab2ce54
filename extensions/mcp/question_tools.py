"""Tools that answer what is asked of histories first: where, how it went, how runs differ."""

from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from agentlog.extensions.mcp.answers import (
    ComparedSets,
    Comparison,
    Matches,
    ModelCall,
    Outline,
    SearchPage,
    Why,
)
from agentlog.extensions.mcp.pages import MOST_BYTES, fitted, items_that_fit, size_of
from agentlog.extensions.mcp.parameters import (
    After,
    ApiOf,
    At,
    IndexedFilter,
    ThreadId,
)

_ROW_BYTES = MOST_BYTES // 8
_MOST_ROWS = 40

Steps = Annotated[
    Literal["all", "calls"],
    Field(description="all: everything said and called; calls: only what called tools"),
]


class QuestionTools:
    """Tools about what happened, by the API that `api_of` returns."""

    def __init__(self, api_of: ApiOf) -> None:
        self._api_of = api_of

    async def search(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        q: Annotated[
            str,
            Field(description='words of contents, all of them; "a phrase", begin*'),
        ] = "",
        where: Annotated[
            str | None,
            Field(
                description="terms of messages: type:tool_results tool:book "
                "role:user|assistant|tool|system $.args.amount>50; or, -, ( )"
            ),
        ] = None,
        filter: Annotated[  # noqa: A002 - its name everywhere
            str | None,
            Field(
                description="terms of their threads: words, thread: status: failed succeeded open "
                "has:error loops>0 cost> metadata.team:red; or, -, ( )"
            ),
        ] = None,
        begin: Annotated[str | None, Field(description="from this time on (RFC 3339)")] = None,
        end: Annotated[str | None, Field(description="before this time (RFC 3339)")] = None,
        after: After = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
    ) -> SearchPage:
        """Find messages of all threads by their contents, with the text around: phrases first."""
        given = {"from": begin, "to": end}
        while True:
            answer = await self._api_of(ctx).get(
                "/v1/search",
                q=q or None,
                where=where,
                filter=filter,
                after=after,
                limit=limit,
                **given,
            )
            hits = [fitted(hit, _ROW_BYTES) for hit in answer["items"]]
            page = items_that_fit(hits)
            if len(page) == len(hits):
                return SearchPage(
                    hits=page,
                    as_of=answer["asOf"],
                    searched_after=answer["searchedAfter"],
                    next=answer["next"],
                )
            limit = len(page)

    async def matches(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        thread_id: ThreadId,
        filter: Annotated[  # noqa: A002 - its name everywhere
            str,
            Field(
                description="terms: words, type: tool: failed succeeded open rule: took>5s "
                "tokens>10k cost> worker: version> $.args.amount>1000; or, -, ( )"
            ),
        ],
        at: At = None,
        after: After = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 50,
    ) -> Matches:
        """Find the messages of one thread that a filter matches, with the text around its words."""
        answer = await self._api_of(ctx).get(
            "/v1/threads/{}/matches",
            thread_id,
            filter=filter,
            at=at,
            after=after,
            limit=limit,
        )
        rows = [fitted(match, _ROW_BYTES) for match in answer["items"]]
        page = items_that_fit(rows)
        more = str(answer["items"][len(page) - 1]["version"]) if page else None
        return Matches(
            thread_id=thread_id,
            version=answer["version"],
            matches=page,
            next=answer["next"] if len(page) == len(rows) else more,
        )

    async def outline(
        self, ctx: Context, thread_id: ThreadId, at: At = None, after: After = None
    ) -> Outline:
        """Outline a thread by steps: calls, time, tokens, cost, what failed or looks wrong."""
        begin = 0
        if after is not None:  # the version and the step to go on at
            at, _, rest = after.partition(".")
            if not (_is_number(at) and _is_number(rest)):
                raise ToolError(f"after={after[:64]!r} is not the `next` of an outline")
            begin = int(rest)
        answer = await self._api_of(ctx).get("/v1/threads/{}/outline", thread_id, at=at)
        steps = [_short(fitted(step, _ROW_BYTES)) for step in answer["steps"][begin : begin + 500]]
        page = items_that_fit(steps)
        reached = begin + len(page)
        more = reached < len(answer["steps"])
        first = page[0]["version"] if begin else 0
        end = answer["steps"][reached]["version"] if more else answer["version"] + 1
        groups = [group for group in answer["groups"] if first <= group["version"] < end]
        return Outline(
            thread_id=thread_id,
            version=answer["version"],
            prices=answer["prices"],
            steps=page,
            groups=items_that_fit([_short(group) for group in groups]),
            next=f"{answer['version']}.{reached}" if more else None,
        )

    async def why(self, ctx: Context, thread_id: ThreadId, at: At = None) -> Why:
        """Say why a run went as it did: outcome, first failure, the call before it, loops, cost."""
        answer = await self._api_of(ctx).get("/v1/threads/{}/why", thread_id, at=at)
        return Why(thread_id=thread_id, version=answer.pop("version"), why=fitted(answer))

    async def model_call(
        self,
        ctx: Context,
        thread_id: ThreadId,
        version: Annotated[int, Field(ge=1, description="of a message of the answer")],
        after: After = None,
    ) -> ModelCall:
        """Read the request that produced a message, with its answer and the request before it.

        Tokens by part, the size of the context, whether it is exact or reconstructed, and where it
        differs from the request before, which is where a cache of its beginning ends.
        """
        begin = _number(after, "model call")
        answer = await self._api_of(ctx).get(
            "/v1/threads/{}/model-calls/{}", thread_id, str(version)
        )
        sent = answer.pop("messages")
        for part in answer["parts"]:
            part["messages"] = len(part["messages"])
        messages = [fitted(message, _ROW_BYTES) for message in sent[begin : begin + 500]]
        page = items_that_fit(messages, MOST_BYTES // 2)
        reached = begin + len(page)
        return ModelCall(
            thread_id=answer.pop("threadId"),
            call=fitted(answer, MOST_BYTES // 2),
            messages=page,
            next=str(reached) if reached < len(sent) else None,
        )

    async def compare(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        a: Annotated[str, Field(description="a thread, or THREAD@MOMENT")],
        b: Annotated[
            list[str], Field(min_length=1, max_length=9, description="threads to compare with it")
        ],
        view: Annotated[str, Field(description="kernel, openai or another view")] = "kernel",
        steps: Steps = "all",
        after: After = None,
    ) -> Comparison:
        """Compare histories by what was said and called: where they part first, and how."""
        limit = _MOST_ROWS
        while True:
            answer = await self._api_of(ctx).get(
                "/v1/compare", a=a, b=b, view=view, steps=steps, after=after, limit=limit
            )
            comparisons = [_rows_cut(comparison) for comparison in answer["comparisons"]]
            if limit == 1 or size_of(comparisons) <= MOST_BYTES:
                break
            limit //= 2
        return Comparison(
            view=answer["view"],
            as_of=answer["asOf"],
            sides=answer["sides"],
            divergence=fitted(answer["divergence"], _ROW_BYTES),
            comparisons=[fitted(comparison) for comparison in comparisons],
            next=next(
                (
                    comparison["next"]
                    for comparison in comparisons
                    if comparison["next"] is not None
                ),
                None,
            ),
        )

    async def compare_runs(  # noqa: PLR0913, PLR0917 - one parameter a choice
        self,
        ctx: Context,
        by: Annotated[str, Field(description="key of the task, such as metadata.task")],
        failed: Annotated[
            str | None,
            Field(description="terms of the runs that failed: metadata.reward:0 or exit:error"),
        ] = None,
        filter: IndexedFilter = None,  # noqa: A002 - its name everywhere
        view: Annotated[str, Field(description="kernel, openai or another view")] = "kernel",
        steps: Steps = "calls",
        after: After = None,
    ) -> ComparedSets:
        """Compare the runs of each task: where they part, and which way those that failed went."""
        begin = _number(after, "comparison")
        answer = await self._api_of(ctx).get(
            "/v1/compare/sets",
            by=by,
            failed=failed,
            view=view,
            steps=steps,
            filter=filter,
        )
        sets = [fitted(run_set, MOST_BYTES // 2) for run_set in answer["items"][begin:]]
        page = items_that_fit(sets)
        reached = begin + len(page)
        return ComparedSets(
            view=answer["view"],
            as_of=answer["asOf"],
            by=answer["by"],
            sets=page,
            cut=answer["cut"],
            next=str(reached) if reached < len(answer["items"]) else None,
        )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS


_MOST_DIGITS = 18


def _number(after: str | None, what: str) -> int:
    if after is not None and not _is_number(after):
        raise ToolError(f"after={after[:64]!r} is not the `next` of a {what}")
    return int(after or 0)


def _short(step: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a step without what it has nothing to say of."""
    if not isinstance(step, dict):
        return step
    return {key: value for key, value in step.items() if value not in (None, [], {}, False, 0)}


def _rows_cut(comparison: dict[str, Any]) -> dict[str, Any]:
    return {**comparison, "items": [fitted(row, _ROW_BYTES) for row in comparison["items"]]}
