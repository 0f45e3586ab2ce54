"""Bodies of requests, each by its model; those of subscriptions and imports stand with these."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema

from agentlog.domain.access import Scope
from agentlog.domain.fields import Json, Model, Number
from agentlog.infrastructure.keys.terms import MOST_NAME

Written = Annotated[str, Field(pattern=r"\S", max_length=2000)]


def _examples(*examples: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [*examples]})


class RedactBody(Model):
    """Why a content is erased."""

    model_config = _examples({"reason": "erasure request 2026-118"})

    reason: Annotated[str, Field(pattern=r"\S")]


class ForkBody(Model):
    """Where a thread is forked, the facts of the fork, and its edits."""

    model_config = _examples({"at": "3", "threadId": "support-42-again", "edits": [{"drop": 2}]})

    at: Annotated[
        str | None,
        Field(description="A version, @position, message id or RFC 3339 time; else the present."),
    ] = None
    thread_id: Annotated[
        str | None,
        Field(
            description="Of the fork; else a new one.",
            json_schema_extra={"pattern": r"^[A-Za-z0-9._:~-]{1,128}$"},
        ),
    ] = None
    goal: str | None = None
    metadata: dict[str, Json] | None = None
    edits: Annotated[Json, Field(default_factory=list)]


class RunBody(Model):
    """How an import is run."""

    model_config = _examples({"dryRun": True})

    dry_run: Annotated[bool, Field(description="Decide all, and write nothing.")] = False
    passed_over: Annotated[
        dict[str, str],
        Field(
            default_factory=dict, description="Files that were not sent, and why: for the report."
        ),
    ]


class CloseBody(Model):
    """Why a thread is closed."""

    model_config = _examples({"reason": "resolved"})

    reason: str | None = None


class AnnotateBody(Model):
    """What is added to a thread's metadata."""

    model_config = _examples({"metadata": {"team": "support", "obsolete": None}})

    metadata: Annotated[dict[str, Json], Field(min_length=1)]


class KeyBody(Model):
    """What a key is for, and what it allows."""

    model_config = _examples({"name": "agents", "scopes": ["append", "read"], "expires": "90d"})

    name: Annotated[str, Field(min_length=1, max_length=MOST_NAME)]
    scopes: Annotated[list[Scope], Field(min_length=1)]
    expires: Annotated[
        str | None,
        Field(
            description="A span from now as `90d` (m, h, d, w), or an RFC 3339 time; never without "
            "it."
        ),
        WithJsonSchema({"type": ["string", "null"]}),
    ] = None


class RuleBody(Model):
    """What a rule says."""

    model_config = _examples({"value": "metadata.reward>=1"})

    value: Written


class FilterBody(Model):
    """A filter to save."""

    model_config = _examples({"filter": "failed cost>0.5", "place": "list"})

    filter: Written
    place: Literal["list", "thread"] = "list"


class Query(Model):
    """A query in SQL, and what goes with it."""

    model_config = _examples(
        {
            "sql": "SELECT type, count(*) FROM events WHERE thread_id = :thread GROUP BY type",
            "parameters": {"thread": "support-42"},
        },
        {"sql": "SELECT name, position FROM progress WHERE position > $1", "parameters": [0]},
    )

    sql: Annotated[
        str,
        Field(
            description="One SELECT, VALUES, TABLE or WITH … SELECT.",
            json_schema_extra={"maxLength": 100_000},
        ),
    ]
    parameters: Annotated[
        dict[str, Json] | list[Json] | None,
        Field(
            description="Values for `:name`, or in a list for `$1`. The type follows from where a "
            "value stands, as for a text in quotes: else say it, as in `:n::bigint`."
        ),
    ] = None
    limit: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": 100_000})] = 1000
    timeout_seconds: Annotated[
        Number | None,
        Field(
            description="Up to AGENTLOG_ANALYST_SECONDS, which is the default.",
            json_schema_extra={"exclusiveMinimum": 0},
        ),
    ] = None
