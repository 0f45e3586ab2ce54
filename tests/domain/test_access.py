"""Who may what: scopes stand for themselves."""

import pytest

from agentlog.domain.access import SCOPES, NotAllowed, NotAuthenticated, Principal, Scope


@pytest.mark.parametrize("held", SCOPES)
def test_no_scope_includes_another_but_admin_includes_metrics(held: Scope) -> None:
    principal = Principal("t", frozenset({held}), "k")
    more = ["metrics"] if held == "admin" else []
    assert [scope for scope in SCOPES if principal.may(scope)] == [held, *more]


def test_a_refusal_says_the_way_out_and_not_whether_there_is_a_key() -> None:
    assert "agentlog keys create" in str(NotAuthenticated())
    refusal = NotAllowed("redact")
    assert refusal.scope == "redact"
    assert "agentlog keys create --scope redact" in str(refusal)
