"""The command `agentlog export finetune`."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Annotated

import typer
from rich.console import Console

from agentlog.api.cli.session import (
    DataDir,
    IndexedFilter,
    InvalidOption,
    json_line,
    service_in,
)
from agentlog.api.cli.transfer.exports import NamedThreads
from agentlog.api.cli.transfer.output import Output, output_file
from agentlog.api.filters import indexed_filter
from agentlog.extensions.formats.finetuning.examples import FEWEST, VIEW, LeftOut, example_of
from agentlog.infrastructure.eventlog.thread_heads import Head
from agentlog.infrastructure.threads import Threads
from agentlog.infrastructure.transfer.exporter import threads_matching
from agentlog.projections.view import Item, render

app = typer.Typer()


@app.command()
def finetune(
    threads: NamedThreads = None,
    output: Output = None,
    with_open: Annotated[
        bool | None, typer.Option("--open", help="Threads that are still open too.")
    ] = None,
    where: IndexedFilter = None,
    data_dir: DataDir = None,
) -> None:
    """Export OpenAI's fine-tuning lines, a finished thread a line."""
    if threads and (with_open or where):
        raise InvalidOption("name THREADS or filter them, not both")
    which = indexed_filter(where or "")
    left_out: Counter[LeftOut] = Counter()
    count = 0
    with service_in(data_dir) as service, output_file(output) as file:
        named = [service.threads.head(thread) for thread in threads or ()]
        heads = named or threads_matching(service.threads, which)
        open_too = bool(named or with_open or which.status == "open")
        for example in _examples(service.threads, heads, open_too=open_too):
            if isinstance(example, LeftOut):
                left_out[example] += 1
            else:
                count += 1
                file.write(f"{json_line(example)}\n".encode())
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    console.print(f"{count} examples, {left_out.total()} threads left out")
    for reason, times in left_out.most_common():
        console.print(f"  {times}: {reason.value}")
    if count < FEWEST:
        console.print(f"OpenAI trains on no fewer than {FEWEST} examples")


def _examples(
    threads: Threads, heads: Iterable[Head], *, open_too: bool
) -> Iterator[Item | LeftOut]:
    """Yield a line for each thread, or the reason why it is left out."""
    for head in heads:
        if head.status == "open" and not open_too:
            yield LeftOut.OPEN
            continue
        items = [placed.item for placed in render(VIEW, threads.messages(head.thread_id)).items]
        yield example_of(items, head.metadata)
