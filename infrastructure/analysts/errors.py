"""Errors of analysts' queries, each with the way out.

InvalidQuery              the query, its parameters or its limits are invalid
├── NotAQuery             anything but one query
├── QueryRejected         PostgreSQL refuses it, and says where
├── QueryForbidden        it reads what the analyst has no right to
├── QueryTooSlow          it was cancelled at its timeout
└── RowTooLarge           a single row is larger than a whole answer may be
NoAnalystLogin            there is no login for analysts yet
AnalystNotConfined        the login has more rights than an analyst may have
TooManyQueries            the tenant's limit of concurrent queries is reached
QueriesExhausted          the limit of concurrent queries of all tenants is reached
"""

from dataclasses import dataclass

from typing_extensions import override

from agentlog.domain.errors import AgentlogError, InvalidInput, NotThere


class InvalidQuery(InvalidInput):
    """The query, its parameters or its bounds are off."""

    @classmethod
    def at(cls, place: str, reason: str) -> "InvalidQuery":
        """Return the error of a part of the request."""
        return cls(f"{place}: {reason}" if place else reason)


class NotAQuery(InvalidQuery):
    """Something else than one query."""

    def __init__(self) -> None:
        super().__init__("that is no query: send one SELECT, VALUES, TABLE or WITH … SELECT")


@dataclass(frozen=True, slots=True)
class Complaint:
    """What PostgreSQL says of a query; `position` counts the query's characters from 1."""

    sqlstate: str
    message: str
    detail: str | None = None
    hint: str | None = None
    position: int | None = None
    line: int | None = None
    column: int | None = None

    @override
    def __str__(self) -> str:
        place = "" if self.line is None else f" (line {self.line}, column {self.column})"
        more = "".join(f"; {sentence}" for sentence in (self.detail, self.hint) if sentence)
        return f"{self.message}{place}{more}"


class QueryRejected(InvalidQuery):
    """PostgreSQL refuses the query."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(str(complaint))
        self.complaint = complaint


class QueryForbidden(InvalidQuery, kind="forbidden"):
    """The query asks for what is not the analyst's: the catalogue has what is."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(
            f"{complaint}: an analyst reads the tables that `agentlog sql --tables` lists, "
            "and changes nothing"
        )
        self.complaint = complaint


class QueryTooSlow(InvalidQuery):
    """The query took longer than it may, and was broken off."""

    def __init__(self, *, seconds: float) -> None:
        super().__init__(
            f"the query was broken off after {seconds:g} s: narrow it, by position or time first, "
            "or have AGENTLOG_ANALYST_SECONDS raised"
        )


class RowTooLarge(InvalidQuery):
    """A single row is larger than a whole answer may be."""

    def __init__(self, *, most_bytes: int) -> None:
        super().__init__(
            f"a row is larger than the {most_bytes} bytes of a whole answer: "
            "select fewer columns, or cut long texts with left(…)"
        )


class NoAnalystLogin(NotThere):
    """There is no login for analysts in the database."""

    def __init__(self) -> None:
        super().__init__(
            "there is no SQL for analysts yet: it needs a login of its own in the database. Run "
            "what `agentlog sql --grants` prints as its administrator, and set "
            "AGENTLOG_ANALYST_URL to that login"
        )


class AnalystNotConfined(AgentlogError, kind="unavailable"):
    """The login for analysts may see or do more than an analyst may, or nothing at all."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"the login of AGENTLOG_ANALYST_URL is not one for analysts: {reason}; "
            "`agentlog sql --grants` prints how one is made"
        )


class TooManyQueries(AgentlogError, kind="too many", transient=True):
    """As many queries of the tenant run as may at once: ask again a little later."""

    def __init__(self) -> None:
        super().__init__(
            "as many queries of this tenant run as may at once (a quarter of "
            "AGENTLOG_ANALYST_QUERIES_IN_ALL, and fewer while other tenants ask): ask again a "
            "little later"
        )


class QueriesExhausted(AgentlogError, kind="unavailable", transient=True):
    """As many queries of all tenants run as may at once: ask again a little later."""

    def __init__(self) -> None:
        super().__init__(
            "as many queries of analysts run as may at once (AGENTLOG_ANALYST_QUERIES_IN_ALL): ask "
            "again a little later"
        )
