"""The commands of `agentlog rules` and `agentlog filters`."""

from typing import Annotated

import typer

from agentlog.api.cli.session import AsJson, DataDir, print_line, print_listing, service_in
from agentlog.api.shapes.service.definitions import FilterPlace, Rule, checked_filter, filter_json
from agentlog.infrastructure.definitions.rules import RULES, check_rule

app = typer.Typer()
rules_ = typer.Typer(
    help="Rules: what success is, which tools are shells, what is erased when.",
    no_args_is_help=True,
)
filters_ = typer.Typer(help="Filters saved under names.", no_args_is_help=True)
app.add_typer(rules_, name="rules")
app.add_typer(filters_, name="filters")

RuleName = Annotated[str, typer.Argument(help=f"One of {', '.join(RULES)}.")]
FilterName = Annotated[str, typer.Argument(help="Name of the filter.")]


@rules_.command("list")
def list_rules(*, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the rules; `by default` where one is not set."""
    with service_in(data_dir) as service:
        rules = service.own.definitions.all("rule")
    values = {rule.name: rule.value or "" for rule in rules}
    print_listing(
        {"rule": 0, "value": 0},
        [(name, values.get(name, "by default")) for name in RULES],
        answers=map(Rule.of, rules) if as_json else None,
    )


@rules_.command("set")
def set_rule(
    name: RuleName,
    value: Annotated[
        str,
        typer.Argument(
            help="As metadata.reward>=1, names of tools for shells, or the text of a file for "
            "retention."
        ),
    ],
    data_dir: DataDir = None,
) -> None:
    """Set a rule: what goes by it does so at once."""
    check_rule(name, value)
    with service_in(data_dir) as service:
        print_line(Rule.of(service.own.definitions.set("rule", name, value)))


@rules_.command("remove")
def remove_rule(name: RuleName, data_dir: DataDir = None) -> None:
    """Go back to what a rule says by default."""
    with service_in(data_dir) as service:
        print_line(Rule.of(service.own.definitions.remove("rule", name)))


@rules_.command("changes")
def rule_changes(name: RuleName, data_dir: DataDir = None) -> None:
    """List what a rule said when, the latest first."""
    with service_in(data_dir) as service:
        for change in service.own.definitions.changes("rule", name):
            print_line(Rule.of(change))


@filters_.command("list")
def list_filters(*, as_json: AsJson = False, data_dir: DataDir = None) -> None:
    """List the saved filters."""
    with service_in(data_dir) as service:
        saved = [filter_json(definition) for definition in service.own.definitions.all("filter")]
    print_listing(
        {"name": 0, "place": 6, "set": 10, "filter": 0},
        [(row["name"], row["place"], row["setAt"], row["filter"]) for row in saved],
        answers=saved if as_json else None,
    )


@filters_.command("save")
def save_filter(
    name: FilterName,
    text: Annotated[str, typer.Argument(metavar="FILTER", help="As 'failed cost>0.5'.")],
    *,
    place: Annotated[FilterPlace, typer.Option(help="Where it is asked.")] = "list",
    data_dir: DataDir = None,
) -> None:
    """Save a filter under a name."""
    value = checked_filter(place, text)
    with service_in(data_dir) as service:
        print_line(filter_json(service.own.definitions.set("filter", name, value)))


@filters_.command("remove")
def remove_filter(name: FilterName, data_dir: DataDir = None) -> None:
    """Take a saved filter away."""
    with service_in(data_dir) as service:
        print_line(filter_json(service.own.definitions.remove("filter", name)))
