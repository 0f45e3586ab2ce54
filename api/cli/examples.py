"""Examples of the demo: imported before it serves."""

from pathlib import Path

from rich.console import Console

from api.cli.session import printable
from api.composition import Service
from infrastructure.transfer.importer import Importer
from infrastructure.transfer.records import Plan
from infrastructure.transfer.sources import find_files
from projections.readers.registry import choose_reader


def load_examples(service: Service, console: Console) -> None:
    """Import the examples; prints the name of each that fails."""
    importer = Importer(
        service.store, Plan(reader=choose_reader("kernel")), progress=lambda _: None
    )
    for path in find_files([_examples_dir()]):
        importer.import_file(path)
    for failure in importer.report.failures:  # left by another version's demo: show what exists
        console.print(printable(f"example not loaded: {failure.place}: {failure.reason}"))


def _examples_dir() -> Path:
    """Return the examples' folder: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parents[1]
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "examples"


def tour(address: str) -> str:
    """Return the list of links that the demo prints."""
    return "\n".join(
        (
            "",
            "Open, or curl:",
            f"  {address}/docs                                      every route, to try",
            f"  {address}/v1/threads                                the example threads",
            f"  {address}/v1/threads/refund/views/openai            as a model reads it",
            f"  {address}/v1/threads/refund/views/letta             as a Letta client reads it",
            f"  {address}/v1/threads/refund/views/maria             as Maria's envelopes",
            f"  {address}/v1/threads/refund/views/agent-state?at=5  the state after version 5",
            f"  {address}/v1/threads/refund/diff?from=5&to=9        what changed from 5 to 9",
            f"  {address}/v1/log                                    all that happened, in order",
            f"  {address}/v1/log/events?follow=false                the same as a stream",
            "",
            "Ctrl-C stops it; the data stays.",
        )
    )
