"""The rules that a tenant may set: success, shells, what is erased when, what is masked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agentlog.domain.errors import NotThere
from agentlog.domain.retention import InvalidRules, parse_rules
from agentlog.infrastructure.definitions.definitions import (
    Definitions,
    InvalidDefinition,
)
from agentlog.projections.filters.expression import ALL, Expression
from agentlog.projections.filters.grammar import parse_filter
from agentlog.projections.masking.rule import parse_mask
from agentlog.projections.shell_command import SHELLS

SUCCESS, SHELL_TOOLS, RETENTION, MASK = "success", "shells", "retention", "mask"

RULES: Mapping[str, str] = {
    SUCCESS: "What success is: a filter of metadata, exits and messages, as metadata.reward>=1 or "
    "exit:complete or inspect.score$.score.value:C. Where it is not known, neither is the verdict.",
    SHELL_TOOLS: "Names of the tools whose commands count as tools of their own, with blanks "
    "between.",
    RETENTION: "Which threads lose their contents when, in TOML or JSON, by `agentlog retention "
    "--apply`. Where it is not set, none do.",
    MASK: "What is masked before anything is written, in TOML or JSON: detectors, keys, words and "
    "patterns, or all texts. Where it is not set, nothing is.",
}
"""What each says."""

_MOST_SHELLS = 100


class UnknownRule(NotThere):
    """There is no rule of that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no rule {name[:64]!r}: there are {', '.join(RULES)}")


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a tenant: of one that has set none, by default.

    `success` is what success is; None leaves that to scores and exits, as `outcome_of` does.
    `shells` are names of tools.
    """

    success: Expression | None = None
    shells: Sequence[str] = SHELLS


def rules_in(definitions: Definitions) -> Rules:
    """Return the rules that hold."""
    texts = {definition.name: definition.value for definition in definitions.all("rule")}
    success, shells = texts.get(SUCCESS), texts.get(SHELL_TOOLS)
    return Rules(
        None if success is None else parse_filter(success, "success"),
        SHELLS if shells is None else shells.split(),
    )


def check_rule(name: str, value: str) -> None:
    """Check the text of a rule.

    Raises:
        UnknownRule: there is no such rule.
        InvalidFilterText: what success is, is no filter.
        InvalidDefinition, InvalidMask: the text is none for that rule.
    """
    if name not in RULES:
        raise UnknownRule(name)
    if name == SUCCESS and parse_filter(value, "success") == ALL:
        raise InvalidDefinition("success: say what success is, as metadata.reward>=1")
    if name == SHELL_TOOLS and len(value.split()) > _MOST_SHELLS:
        raise InvalidDefinition(f"shells: at most {_MOST_SHELLS} names")
    if name == MASK:
        parse_mask(value)
    if name == RETENTION:
        try:
            parse_rules(value)
        except InvalidRules as error:
            raise InvalidDefinition(f"{RETENTION}: {error}") from error
