"""Rules and saved filters of a tenant: success, shells and retention; named filters."""

from typing import Annotated

from fastapi import Path, Request, Response

from agentlog.api.http.codec.bodies import Body, read_body
from agentlog.api.http.codec.caller import TheLimits, TheTenant, principal_of, tenant_of
from agentlog.api.http.codec.parameters import without_nul
from agentlog.api.http.codec.responses import json_answer
from agentlog.api.http.openapi.answers import answers, body
from agentlog.api.http.openapi.bodies import FilterBody, RuleBody
from agentlog.api.http.routing import Router
from agentlog.api.shapes.service.definitions import (
    Rule,
    SavedFilter,
    checked_filter,
    filter_json,
)
from agentlog.api.shapes.shape import Page
from agentlog.infrastructure.definitions.rules import RULES, check_rule

router = Router(prefix="/v1", tags=["definitions"])

RuleName = Annotated[
    str, Path(description="One of " + ", ".join(RULES) + ".", examples=["success"])
]
FilterName = Annotated[
    str,
    Path(
        min_length=1,
        max_length=64,
        description="Of the filter, as people read it.",
        examples=["expensive failures"],
    ),
]


@router.add("GET /rules", "read", responses=answers(200, Page[Rule]))
def list_rules(tenant: TheTenant) -> Response:
    """List the rules that the tenant has set; the others are as by default."""
    rules = tenant.definitions.all("rule")
    return json_answer({"items": [Rule.of(rule) for rule in rules], "next": None})


@router.add(
    "PUT /rules/{name}",
    "admin",
    responses=answers(200, Rule, 400, 404, 413),
    openapi_extra=body(RuleBody, description="What the rule says from now on."),
)
def set_rule(request: Request, name: RuleName, body: Body, limits: TheLimits) -> Response:
    """Set a rule: what goes by it does so at once, of past runs too."""
    value = without_nul(read_body(body, limits, RuleBody).value)
    check_rule(name, value)
    rule = tenant_of(request).definitions.set(
        "rule", name, value, set_by=principal_of(request).author
    )
    return json_answer(Rule.of(rule))


@router.add("DELETE /rules/{name}", "admin", responses=answers(200, Rule, 404))
def remove_rule(request: Request, name: RuleName) -> Response:
    """Go back to what the rule says by default."""
    definitions, author = tenant_of(request).definitions, principal_of(request).author
    return json_answer(Rule.of(definitions.remove("rule", without_nul(name), set_by=author)))


@router.add("GET /rules/{name}/changes", "read", responses=answers(200, Page[Rule]))
def list_rule_changes(tenant: TheTenant, name: RuleName) -> Response:
    """List what a rule said when, the latest first."""
    changes = tenant.definitions.changes("rule", without_nul(name))
    return json_answer({"items": [Rule.of(change) for change in changes], "next": None})


@router.add("GET /filters", "read", responses=answers(200, Page[SavedFilter]))
def list_filters(tenant: TheTenant) -> Response:
    """List the saved filters of the tenant, by name."""
    filters = tenant.definitions.all("filter")
    return json_answer({"items": [filter_json(saved) for saved in filters], "next": None})


@router.add(
    "PUT /filters/{name}",
    "append",
    responses=answers(200, SavedFilter, 400, 413),
    openapi_extra=body(FilterBody, description="Where it is asked, and the filter."),
)
def save_filter(request: Request, name: FilterName, body: Body, limits: TheLimits) -> Response:
    """Save a filter under a name, or another under that."""
    wanted = read_body(body, limits, FilterBody)
    value = checked_filter(wanted.place, without_nul(wanted.filter))
    saved = tenant_of(request).definitions.set(
        "filter", without_nul(name), value, set_by=principal_of(request).author
    )
    return json_answer(filter_json(saved))


@router.add("DELETE /filters/{name}", "append", responses=answers(200, SavedFilter, 404))
def remove_filter(request: Request, name: FilterName) -> Response:
    """Take a saved filter away."""
    definitions, author = tenant_of(request).definitions, principal_of(request).author
    return json_answer(filter_json(definitions.remove("filter", without_nul(name), set_by=author)))
