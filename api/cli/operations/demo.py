"""What the command demo loads and says."""

import sys
from pathlib import Path
from shlex import quote

from rich.console import Console

from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service
from agentlog.extension import added
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.transfer.documents import Plan
from agentlog.infrastructure.transfer.files.sources import find_sources
from agentlog.infrastructure.transfer.importer import Importer
from agentlog.projections.readers.registry import choose_format


def load_examples(service: Service, console: Console) -> None:
    """Import the examples; prints the name of each that fails."""
    importer = Importer(service.threads, Plan(choose_format("kernel")), progress=lambda _: None)
    importer.import_sources(find_sources([_examples_dir()]))
    for failure in importer.report.failures:  # left by another version's demo: show what exists
        console.print(printable(f"example not loaded: {failure.place}: {failure.reason}"))


def _examples_dir() -> Path:
    """Return the examples' folder: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).parents[3]
    inside = package / "examples"
    return inside if inside.is_dir() else package.parent / "examples"


def tour(address: str, settings: Settings) -> str:
    """Return what the demo prints: links, and commands that record an agent into its log."""
    return "\n".join(
        (
            "",
            "Open, or curl:",
            f"  {address}/                                          see what the agents did",
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
            *(_recording(settings) if "record" in added("commands", taken={}) else ()),
            "Ctrl-C stops it; the data stays.",
        )
    )


def _recording(settings: Settings) -> tuple[str, ...]:
    python, recording = quote(sys.executable), quote(str(_examples_dir() / "recording"))
    own = settings.database_url is None
    data = f" --data-dir {quote(str(settings.data_dir.absolute()))}" if own else ""
    return (
        "Record an agent, from another terminal; its model is a script, so no key is needed:",
        f"  {python} {recording}/model.py 9753 &",
        "  OPENAI_BASE_URL=http://127.0.0.1:9753/v1 \\",
        f"    {python} -m agentlog record{data} -- \\",
        f"    {python} {recording}/agent.py 'What should I wear in Lisbon?'",
        "",
    )
