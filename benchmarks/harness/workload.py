"""What is measured with: real histories on OpenAI's wire, or generated ones of similar size."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, count, cycle, islice
from pathlib import Path
from typing import Any

from agentlog.domain.json.text import parse, print_bytes, print_text
from agentlog.domain.json.values import JsonValue
from agentlog.projections.readers.draft import Draft
from agentlog.projections.readers.messages import chat
from agentlog.projections.view import Item

REAL = Path(__file__).parents[3] / "shared" / "data" / "tau-bench-gpt-4o-airline.json"
"""200 runs of an airline's agent, 5,308 messages; not part of the project."""

_THREADS = 200
_ROUNDS = 6  # of user, call, result and answer: with the system prompt 25 messages a thread


@dataclass(frozen=True, slots=True)
class Workload:
    """Histories in a file as `agentlog import` takes it."""

    path: Path
    name: str
    records: Sequence[dict[str, Any]]

    @property
    def messages(self) -> int:
        """How many messages the histories have."""
        return sum(len(record["traj"]) for record in self.records)

    def histories(self) -> Iterator[list[JsonValue]]:
        """Yield the items of each history, over and over, every call with an id of its own."""
        return _with_unique_calls(self.records)

    def lone_drafts(self) -> list[Draft]:
        """Return messages that can stand in any thread: replies of about 500 bytes."""
        answers = [draft for draft in self.drafts(self.messages) if draft["type"] == "reply"]
        return [draft for draft in answers if 350 <= len(print_bytes(draft)) <= 700] or answers

    def drafts(self, number: int) -> list[Draft]:
        """Return so many messages for one thread: the histories end to end, call ids unique."""
        wire = chain.from_iterable(self.histories())
        return list(islice(chat.READER.read(wire), number))


def load_workload(path: Path | None, scratch: Path) -> Workload:
    """Return the histories at `path`, or the real ones if they are there, or generated ones."""
    chosen = path or REAL
    if path is None and not chosen.exists():
        chosen = scratch / "generated.json"
        chosen.write_bytes(print_bytes([_generated(number) for number in range(_THREADS)]))
    return Workload(chosen, chosen.name, parse(chosen.read_bytes()))


def _with_unique_calls(records: Sequence[dict[str, Any]]) -> Iterator[list[JsonValue]]:
    """Yield the items of each history, over and over, every call with an id of its own."""
    fresh = count(1)
    for record in cycle(records):
        latest: dict[str, str] = {}
        items: list[JsonValue] = []
        for item in record["traj"]:
            renamed = dict(item)
            if item.get("tool_calls"):
                latest.update({call["id"]: f"call_{next(fresh)}" for call in item["tool_calls"]})
                renamed["tool_calls"] = [
                    {**call, "id": latest[call["id"]]} for call in item["tool_calls"]
                ]
            if item.get("tool_call_id"):
                renamed["tool_call_id"] = latest[item["tool_call_id"]]
            items.append(renamed)
        yield items


def _generated(number: int) -> Item:
    """Return a history like the real ones: a long prompt, then rounds with a tool call each."""
    policy = " ".join(f"Rule {n}: be brief, be kind, and look it up first." for n in range(110))
    items: list[JsonValue] = [{"role": "system", "content": policy}]
    for step in range(_ROUNDS):
        items += _round(f"{number}-{step}")
    return {"task_id": number, "trial": 0, "traj": items}


def _round(name: str) -> list[JsonValue]:
    order = {"order": name, "lines": [{"sku": f"sku-{n}", "price": n * 1.25} for n in range(40)]}
    call_id = f"call_{name}"
    call = {"name": "find_order", "arguments": print_text({"order": name})}
    return [
        {"role": "user", "content": f"Where is my order {name}? I ordered it last week."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": call_id, "type": "function", "function": call}],
        },
        {
            "role": "tool",
            "tool_call_id": call_id,
            "name": "find_order",
            "content": print_text(order),
        },
        {"role": "assistant", "content": f"Order {name} left the house, with its forty lines."},
    ]
