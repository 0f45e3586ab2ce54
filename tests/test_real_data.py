"""The acceptance: 200 runs of an airline agent, through the real command line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from letta_client._models import construct_type
from letta_client.types.agents import Message
from letta_client.types.agents.system_message import SystemMessage

from agentlog.api.composition import Service, open_service
from agentlog.domain.points_in_time import AtVersion
from agentlog.infrastructure.comparison.comparer import SideAsked
from agentlog.infrastructure.comparison.run_sets import SetsAsked
from agentlog.infrastructure.eventlog.thread_heads import ThreadFilter
from agentlog.infrastructure.settings import Settings
from agentlog.infrastructure.views.results import Page, State
from agentlog.projections.comparison.comparison import Divergence
from agentlog.projections.filters.expression import Term
from agentlog.projections.registry import choose_view
from agentlog.projections.view import Item
from agentlog.projections.views.agent_state import AgentStateView
from tests.airline import Run, airline_file, airline_runs
from tests.command_line import Outcome, agentlog_process
from tests.databases import new_database
from tests.projections.chat_api import check_types
from tests.projections.letta_api import CLASSES, check_the_client_reads

RUNS = airline_runs()

FAILED = Term("metadata", ":", 0, key="reward")


def _import(url: str) -> Outcome:
    return agentlog_process(
        "import",
        *("--format", "openai"),
        *("--messages", "$.traj"),
        *("--thread-id", "airline-{task_id}-{trial}"),
        *("--metadata", "task={task_id}", "--metadata", "reward={reward}"),
        airline_file(),
        url=url,
    )


def _thread_id(run: Run) -> str:
    return f"airline-{run['task_id']}-{run['trial']}"


@pytest.fixture(scope="module")
def imported_url(server_url: str, template_database: str) -> Iterator[str]:
    """A database with all 200 histories."""
    with new_database(server_url, template=template_database) as url:
        outcome = _import(url)
        assert outcome.code == 0, outcome.err
        assert outcome.counted["threads"] == 200
        assert "refused" not in outcome.counted
        yield url


@pytest.fixture(scope="module")
def service(imported_url: str) -> Iterator[Service]:
    """The open service over it."""
    with open_service(Settings(database_url=imported_url)) as opened:
        yield opened


def _items(service: Service, run: Run, view: str, **options: object) -> list[Item]:
    page = service.views.view(_thread_id(run), choose_view(view, options))
    assert isinstance(page, Page)
    return [placed.item for placed in page.items]


def test_there_are_200_threads_with_what_their_records_say(service: Service) -> None:
    assert len(RUNS) == 200
    assert len(service.threads.thread_ids(limit=1000)) == 200
    for run in RUNS:
        head = service.threads.head(_thread_id(run))
        assert head.read_facts()["metadata"] == {
            "task": run["task_id"],
            "reward": run["reward"],
        }
        assert head.policy == "record"


def test_the_openai_view_of_each_is_its_source(service: Service) -> None:
    count = 0
    for run in RUNS:
        items = _items(service, run, "openai", tool_names=True)
        assert items == run["traj"]
        for item, source in zip(items, run["traj"], strict=True):
            assert _texts(item) == _texts(source)
        count += len(items)
    assert count == sum(len(run["traj"]) for run in RUNS)


def _texts(item: Item) -> list[bytes | None]:
    calls = item.get("tool_calls") or []
    said = [item["content"], *(call["function"]["arguments"] for call in calls)]
    return [None if text is None else text.encode() for text in said]


def test_every_openai_item_is_of_the_packages_types(service: Service) -> None:
    for run in RUNS:
        for item in _items(service, run, "openai"):
            check_types(item)


def test_every_letta_item_is_read_as_the_class_it_claims(service: Service) -> None:
    kinds = set()
    for run in RUNS:
        for item in _items(service, run, "letta"):
            kind = item["message_type"]
            parsed = construct_type(value=item, type_=Message)
            assert type(parsed) is CLASSES[False][kind], item
            assert isinstance(parsed, SystemMessage) is (kind == "system_message")
            kinds.add(kind)
    check_the_client_reads(_items(service, RUNS[0], "letta"))  # which is stricter, and slower
    told = ("system", "user", "assistant", "tool_call", "tool_return")
    assert kinds == {f"{kind}_message" for kind in told}


def test_a_second_import_adds_nothing(service: Service, imported_url: str) -> None:
    before = service.threads.log()[-1].position
    outcome = _import(imported_url)
    assert outcome.code == 0, outcome.err
    assert outcome.counted["threads"] == 200
    assert "events" not in outcome.counted
    assert service.threads.log()[-1].position == before


# --- the agent's state, folded straight from the source -----------------------------------------


@dataclass
class StraightState:
    """What the agent's state comes to, message by message, over mutable lists."""

    history: list[dict[str, str]] = field(default_factory=list)
    steps: int = 0
    pending: bool = False
    open_calls: dict[str, str] = field(default_factory=dict)

    def json(self) -> dict[str, Any]:
        return {
            "history": list(self.history),
            "step_count": self.steps,
            "max_steps": 50,
            "delegation_count": 0,
            "max_delegations": 10,
            "rejection_count": 0,
            "max_rejections": 2,
            "scratchpad": "",
            "shutdown_requested": False,
            "pending_llm": self.pending,
            "pending_approval": False,
        }

    def say(self, role: str, content: str) -> None:
        self.history.append({"role": role, "content": content})


def straight_states(messages: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the state after each event that an import makes of a run, from the start of the thread.

    A turn of the model with text and calls is two messages, and one step.
    """
    state = StraightState()
    yield state.json()
    for message in messages:
        content = message["content"]
        match message["role"]:
            case "system":
                state.say("system", content)
                yield state.json()
            case "user":
                state.steps += 1
                state.pending = True
                state.say("user", content)
                yield state.json()
            case "assistant":
                state.steps += 1
                state.pending = False
                calls = message.get("tool_calls") or []
                if content is not None:
                    state.say("assistant", content)
                    yield state.json()
                if calls:
                    asked = [call["function"] for call in calls]
                    state.say(
                        "assistant",
                        "\n".join(f"{call['name']}({call['arguments']})" for call in asked),
                    )
                    state.open_calls |= {call["id"]: call["function"]["name"] for call in calls}
                    yield state.json()
            case "tool":
                state.steps += 1
                state.say("tool", f"Tool '{message['name']}' succeeded: {content}")
                state.open_calls.pop(message["tool_call_id"], None)
                state.pending = state.pending or not state.open_calls
                yield state.json()
            case role:
                pytest.fail(f"no such role in these histories: {role}")


def test_the_state_at_every_version_equals_a_straight_fold(service: Service) -> None:
    view = AgentStateView()
    versions = 0
    for run in RUNS:
        carry = view.start()
        events = service.threads.messages(_thread_id(run))
        *said, beside = events
        assert beside.type == "openai.record"
        for event, expected in zip(said, straight_states(run["traj"]), strict=True):
            carry, _ = view.fold(carry, event)
            assert view.state(carry) == expected, (run["task_id"], run["trial"], event.version)
        versions += len(events)
    assert versions == service.threads.log()[-1].position


def test_the_store_answers_with_the_state_at_each_version(service: Service) -> None:
    view = choose_view("agent-state")
    for run in RUNS[::20]:
        for version, expected in enumerate(straight_states(run["traj"]), 1):
            state = service.views.view(_thread_id(run), view, at=AtVersion(version))
            assert isinstance(state, State)
            assert (state.version, state.state) == (version, expected)
    for run in RUNS:
        state = service.views.view(_thread_id(run), view)
        assert isinstance(state, State)
        *_, last = straight_states(run["traj"])
        assert state.state == last


def test_the_command_line_prints_the_same_view(imported_url: str) -> None:
    outcome = agentlog_process(
        "view", "airline-0-0", "openai", "-o", "tool_names=true", url=imported_url
    )
    (source,) = [run for run in RUNS if (run["task_id"], run["trial"]) == (0, 0)]
    assert outcome.code == 0
    assert outcome.lines == source["traj"]


# --- comparisons, checked against the source ------------------------------------------------------


def _calls_of(run: Run) -> list[tuple[str, Any]]:
    """Return the tools that a run calls, with their arguments."""
    return [
        (call["function"]["name"], json.loads(call["function"]["arguments"]))
        for message in run["traj"]
        for call in message.get("tool_calls") or ()
    ]


def _shared(runs: list[Run]) -> int:
    """Return how many first calls all of these runs share."""
    shared = zip(*map(_calls_of, runs), strict=False)
    first_apart = (n for n, calls in enumerate(shared) if any(call != calls[0] for call in calls))
    return next(first_apart, min(len(_calls_of(run)) for run in runs))


def test_the_runs_of_each_task_part_where_their_calls_do(service: Service) -> None:
    asked = SetsAsked(
        ThreadFilter(),
        choose_view("kernel"),
        by="task",
        failed=FAILED,
    )
    compared = service.own.run_sets.compare(asked)
    assert (compared.lacking, compared.cut) == (0, False)
    assert [task.value for task in compared.items] == list(range(50))
    for task in compared.items:
        runs = [run for run in RUNS if run["task_id"] == task.value]
        verdicts = {_thread_id(run): "succeeded" if run["reward"] else "failed" for run in runs}
        assert {run.thread_id: run.verdict for run in task.threads} == verdicts
        first = task.partings[0]
        assert first.equal == _shared(runs), task.value
        together = {frozenset(branch.threads) for branch in first.branches}
        following = {_thread_id(run): _calls_of(run)[first.equal : first.equal + 1] for run in runs}
        assert together == {
            frozenset(other for other in following if following[other] == following[thread_id])
            for thread_id in following
        }


@pytest.mark.parametrize(
    ("task", "equal", "ways"),
    [
        # the runs that fail cancel another reservation, or hand over to a person
        (
            30,
            8,
            {
                "cancel_reservation FDZ0T5": {"succeeded"},
                "cancel_reservation HSR97W": {"failed"},
                "transfer_to_human_agents": {"failed"},
            },
        ),
        # one cancels without a look at the next reservation, and fails
        (
            31,
            5,
            {
                "get_reservation_details 9HBUV8": {"succeeded", "failed"},
                "cancel_reservation D1EW9B": {"failed"},
            },
        ),
        # only the one that sends a certificate fails
        (
            40,
            6,
            {
                "transfer_to_human_agents": {"succeeded"},
                "think": {"succeeded"},
                "send_certificate": {"failed"},
            },
        ),
    ],
)
def test_three_tasks_part_as_read_by_hand(
    service: Service, task: int, equal: int, ways: dict[str, set[str]]
) -> None:
    which = ThreadFilter(metadata={"task": task})
    asked = SetsAsked(which, choose_view("kernel"), by="task", failed=FAILED)
    (run_set,) = service.own.run_sets.compare(asked).items
    first = run_set.partings[0]
    verdicts = {run.thread_id: run.verdict for run in run_set.threads}
    assert first.equal == equal
    told: dict[str, set[str]] = {}
    for way in first.branches:
        assert way.did is not None
        reservation = json.loads(way.did.hint) if way.did.hint.endswith("}") else {}
        did = " ".join([*way.did.tools, reservation.get("reservation_id", "")]).strip()
        told.setdefault(did, set()).update(verdicts[thread_id] for thread_id in way.threads)
    assert told == ways


def test_a_run_is_equal_to_itself_and_part_of_it_is_a_prefix(service: Service) -> None:
    comparer, view = service.own.comparer, choose_view("kernel")
    for run in RUNS[::20]:
        thread_id = _thread_id(run)
        compared = comparer.compare(
            [SideAsked(thread_id), SideAsked(thread_id, AtVersion(9))], view
        )
        divergence = compared.comparisons[0].divergence
        assert divergence == Divergence(8, 8, None)  # the first event starts the thread
        same = comparer.compare([SideAsked(thread_id), SideAsked(thread_id)], view)
        assert same.comparisons[0].divergence is None
