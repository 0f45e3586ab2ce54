"""Each rule has a source, and refuses a conversation that breaks it and no other rule."""

from typing import Any

import pytest

from agentlog.extensions.formats.gemini.rules import RULES
from tests.extensions.formats.gemini.refusals import refusals
from tests.projections.api_rules.findings import SOURCE

PARTS: Any = {"role": "user", "parts": [{"text": "hi"}]}


def model(*parts: Any) -> Any:
    return {"role": "model", "parts": [*parts]}


def called(name: str = "f", args: Any = None) -> Any:
    return {"functionCall": {"name": name, "args": {} if args is None else args}}


def answered(name: str = "f") -> Any:
    return {"functionResponse": {"name": name, "response": {}}}


BROKEN: dict[str, list[Any]] = {
    "role": [PARTS, {"role": "assistant", "parts": [{"text": "hi"}]}],
    "first": [model({"text": "hi"})],
    "parts": [{"role": "user", "parts": []}],
    "part": [{"role": "user", "parts": [{"x": 1}]}],
    "blank": [{"role": "user", "parts": [{"text": ""}]}],
    "turns": [PARTS, model({"text": "hi"}), model(called())],
    "answered": [
        PARTS,
        model(called(), called("g")),
        {"role": "user", "parts": [answered("g"), answered()]},
    ],
    "asked": [{"role": "user", "parts": [answered()]}],
    "name": [PARTS, model(called("9"))],
    "args": [PARTS, model(called(args="x"))],
    "media": [{"role": "user", "parts": [{"inlineData": {"mimeType": "a/b", "data": ""}}]}],
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_rule_refuses_what_breaks_it_alone(name: str) -> None:
    assert {refusal.rule for refusal in refusals(BROKEN[name])} == {RULES[name].says}


def test_every_rule_has_a_case_and_a_source() -> None:
    assert RULES.keys() == BROKEN.keys()
    assert all(SOURCE.fullmatch(rule.source) for rule in RULES.values())


def test_calls_at_the_very_end_may_stay_open() -> None:
    answer = {"role": "user", "parts": [answered()]}
    assert refusals([PARTS, model(called()), answer, model(called())]) == []
