"""Errors of the client.

AgentlogError
├── Problem              the service refused the request (RFC 9457)
│   ├── InvalidRequest   400, 413, 422: the request itself is wrong
│   ├── NotAuthenticated 401
│   ├── NotAllowed       403
│   ├── NotThere         404
│   ├── Conflict         409: a rule, an id or the state of a thread is against it
│   ├── VersionConflict  412: the thread is not at the expected version
│   └── Unavailable      429, 503: later, perhaps
├── ServiceAway          no answer came, or not a whole one
├── UnexpectedAnswer     what answered is not agentlog, or one that this client does not know
└── NotJson              JSON cannot say the value
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

_NAMES = "urn:agentlog:problem:"


class AgentlogError(Exception):
    """Base of the errors of this client."""


class Flaw(NamedTuple):
    """What is wrong at one place of the request's body, as `messages[1].text`."""

    place: str
    reason: str


class Problem(AgentlogError):
    """The service refused.

    `type` is the problem's name, as `rule-broken`; `facts` has all members of the document.
    """

    def __init__(self, status: int, facts: Mapping[str, Any]) -> None:
        self.status = status
        self.facts = facts
        self.type = str(facts.get("type", "")).removeprefix(_NAMES)
        self.title = str(facts.get("title", ""))
        self.detail = str(facts.get("detail", ""))
        self.errors: Sequence[Flaw] = [
            Flaw(str(error.get("place", "")), str(error.get("reason", "")))
            for error in facts.get("errors", ())
        ]
        super().__init__(f"{status} {self.type}: {self.detail}")


class InvalidRequest(Problem):
    """The request is wrong: `errors` names places of its body."""


class NotAuthenticated(Problem):
    """The key is missing or no key of the service: give `key`, or set AGENTLOG_KEY."""


class NotAllowed(Problem):
    """The key's scopes do not allow this."""


class NotThere(Problem):
    """There is no such thread, message, view, file or route."""


class Conflict(Problem):
    """A rule of the thread, an id that is taken, or the thread's state is against it."""


class VersionConflict(Problem):
    """Someone appended first: read the thread again and decide anew."""


class Unavailable(Problem):
    """The service is too busy or has no database; retries did not help."""


class ServiceAway(AgentlogError):
    """No answer came. What was sent may have been done: an append may be sent again as it is."""


class UnexpectedAnswer(AgentlogError):
    """The answer cannot be read: is `url` that of agentlog, and the client as new as it?"""


class NotJson(AgentlogError):
    """JSON cannot say the value: NaN, an infinity, a lone surrogate or an object of a class."""


_OF_STATUS = {
    400: InvalidRequest,
    401: NotAuthenticated,
    403: NotAllowed,
    404: NotThere,
    409: Conflict,
    412: VersionConflict,
    413: InvalidRequest,
    422: InvalidRequest,
    429: Unavailable,
    503: Unavailable,
}


def problem_of(status: int, document: object) -> Problem:
    """Return the error for a problem document, or for any other body of an error."""
    facts = document if isinstance(document, dict) else {"detail": str(document)[:500]}
    return _OF_STATUS.get(status, Problem)(status, facts)
