"""Runs of an airline's agent, made up: 50 tasks, each done four times, in OpenAI's wire format.

They have the shape of tau-bench's historical trajectories. AGENTLOG_TEST_RUNS may name a file of
those (`gpt-4o-airline.json`) to test with: all figures are counted in the source.
"""

import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

Run = dict[str, Any]

TASKS, TRIALS = range(50), range(4)
_POLICY = (
    "# Airline Agent Policy\n\nThe current time is 2024-05-15 15:00:00 EST.\n\n"
    "List what will change, and wait for a yes, before you change a booking. Transfer the user to "
    "a human agent only where no tool does what is asked."
)
_USERS = ["mia_li_3668", "emma_kim_9957", "raj_sanchez_7340", "noah_muller_9847"]
_RESERVATIONS = ["NO6JO3", "4WQ150", "VAAOXJ", "9HBUV8", "D1EW9B", "FDZ0T5", "HSR97W"]
_FLIGHTS = ["HAT136", "HAT039", "HAT271", "HAT290", "HAT018"]
_QUESTIONS = [
    "Could you please provide your user ID?",
    "May I have your user ID?",
    "What is your user ID?",
    "Please tell me your user ID.",
]
_TOWNS = ["JFK", "SEA", "ATL", "MCO", "ORD"]


class Step(NamedTuple):
    """A call of a tool, and what the tool says."""

    tool: str
    args: Run
    result: str


@cache
def airline_file() -> Path:
    """Return the file with the runs: a list of `{task_id, trial, reward, info, traj}`."""
    if (named := os.environ.get("AGENTLOG_TEST_RUNS")) is not None:
        return Path(named)
    file = Path(tempfile.mkdtemp()) / "airline.json"
    file.write_text(json.dumps([_run(task, trial) for trial in TRIALS for task in TASKS]))
    return file


@cache
def airline_runs() -> Sequence[Run]:
    """Return the runs, read with another parser than ours."""
    runs: list[Run] = json.loads(airline_file().read_bytes())
    return runs


def _run(task: int, trial: int) -> Run:
    scripted = _SCRIPTED.get(task)
    steps, reward = _drawn(task, trial) if scripted is None else scripted[trial]
    user = _USERS[task % len(_USERS)]
    messages = [
        {"role": "system", "content": _POLICY},
        {"role": "user", "content": f"Hi! I have a question about trip {task}."},
        {"role": "assistant", "content": _QUESTIONS[trial]},
        {"role": "user", "content": f"Sure, my user ID is {user}."},
    ]
    profile = {"payment_methods": {"gift_card_1": {"source": "gift_card", "amount": "$120"}}}
    steps = [Step("get_user_details", {"user_id": user}, json.dumps(profile)), *steps]
    for number, step in enumerate(steps):
        # one task has an id that comes again
        call_id = f"call_{crc32(f'{task} {trial} {0 if task == 7 else number}'.encode()):024x}"
        messages += _turn(step, call_id, text=_pick(9, task, number) == 0)
        if _pick(3, task, number) == 0:
            messages += [
                {"role": "assistant", "content": f"Shall I go on, dear traveller {trial}?"},
                {"role": "user", "content": "Yes, with my certificate first, please."},
            ]
    messages += [
        {"role": "assistant", "content": "All is done. Is there anything else?"},
        {"role": "user", "content": "###STOP###"},
    ]
    info = {"task": {"user_id": user, "instruction": f"Your user id is {user}."}}
    return {"task_id": task, "trial": trial, "reward": reward, "info": info, "traj": messages}


def _turn(step: Step, call_id: str, *, text: bool) -> Iterator[Run]:
    function = {"name": step.tool, "arguments": json.dumps(step.args, separators=(",", ":"))}
    call = {"id": call_id, "type": "function", "function": function}
    content = "One moment, please: I look it up." if text else None
    yield {"role": "assistant", "content": content, "tool_calls": [call]}
    yield {"role": "tool", "tool_call_id": call_id, "name": step.tool, "content": step.result}


def _pick(of: int, *by: int) -> int:
    """Return a number below `of`, the same for the same numbers."""
    return crc32(repr(by).encode()) % of


def _drawn(task: int, trial: int) -> tuple[list[Step], float]:
    """Return steps that all trials share, then each its own, and the reward."""
    shared = 2 + _pick(5, task)
    steps = [_step(task, n, trial if n >= shared else -1) for n in range(8 + _pick(3, task, trial))]
    return steps, float(_pick(5, task, trial) < 2)


def _step(*by: int) -> Step:
    kind = _pick(8, 0, *by)
    reservation = {"reservation_id": _RESERVATIONS[_pick(len(_RESERVATIONS), 1, *by)]}
    flight = _FLIGHTS[_pick(len(_FLIGHTS), 2, *by)]
    fails = _pick(3, 3, *by) == 0
    if kind < 3:
        details = json.dumps({**reservation, "flights": [flight], "cabin": "economy"})
        return Step("get_reservation_details", reservation, details)
    if kind < 5:
        args = {"origin": _TOWNS[_pick(5, 4, *by)], "date": "2024-05-15"}
        return Step("search_direct_flight", args, "[]" if fails else json.dumps([flight]))
    if kind == 5:
        amounts = [_pick(500, 5, *by), _pick(500, 6, *by)]
        return Step("calculate", {"expression": "{} + {}".format(*amounts)}, f"{sum(amounts)}.0")
    if kind == 6:
        return Step("think", {"thought": f"Is {flight} the one that is meant?"}, "")
    result = f"Error: flight {flight} is not available" if fails else json.dumps(reservation)
    return Step("update_reservation_flights", {**reservation, "flights": [flight]}, result)


def _details(reservation: str) -> Step:
    return Step("get_reservation_details", {"reservation_id": reservation}, '{"cabin": "economy"}')


def _cancel(reservation: str) -> Step:
    return Step("cancel_reservation", {"reservation_id": reservation}, '{"status": "cancelled"}')


def _book(paid: int, total: int = 1002) -> Step:
    args = {"user_id": _USERS[0], "flights": ["HAT271"], "payment": {"amount": paid}}
    failed = f"Error: payment amount does not add up, total price is {total}, but paid {paid}"
    return Step("book_reservation", args, '{"status": "booked"}' if paid == total else failed)


_HAND_OVER = Step("transfer_to_human_agents", {"summary": "It cannot be done."}, "Transferred")
_CERTIFICATE = Step("send_certificate", {"user_id": _USERS[0], "amount": 50}, "Certificate sent")
_SEVEN, _FOUR = list(map(_details, _RESERVATIONS)), list(map(_details, _RESERVATIONS[:4]))
_FIVE = [*_FOUR, _details("HSR97W")]
_THINK = Step("think", {"thought": "Nothing is to be paid back."}, "")

_SCRIPTED: dict[int, Sequence[tuple[list[Step], float]]] = {
    30: [
        ([*_SEVEN, _cancel("FDZ0T5"), _CERTIFICATE], 1.0),
        ([*_SEVEN, _cancel("HSR97W")], 0.0),
        ([*_SEVEN, _HAND_OVER], 0.0),
        ([*_SEVEN, _HAND_OVER], 0.0),
    ],
    31: [
        ([*_FOUR, _details("9HBUV8"), _cancel("D1EW9B")], 1.0),
        ([*_FOUR, _details("9HBUV8"), _HAND_OVER], 0.0),
        ([*_FOUR, _cancel("D1EW9B")], 0.0),
        ([*_FOUR, _details("9HBUV8"), _cancel("D1EW9B")], 1.0),
    ],
    40: [
        ([*_FIVE, _HAND_OVER], 1.0),
        ([*_FIVE, _THINK, _HAND_OVER], 1.0),
        ([*_FIVE, _CERTIFICATE], 0.0),
        ([*_FIVE, _HAND_OVER], 1.0),
    ],
    46: [
        ([*_FOUR, _book(957), _book(1002)], 1.0),
        ([*_FOUR, _THINK, _book(957), _HAND_OVER], 0.0),
        ([*_FOUR, _book(1002)], 1.0),
        ([*_FIVE, _THINK, _book(957), _book(1047), _HAND_OVER], 0.0),
    ],
}
"""By task, its trials: some were read by hand."""
