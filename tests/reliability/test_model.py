"""The whole store against a model in memory: whatever is asked in whatever order, both agree."""

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from tests.reliability.outcomes import Tried
from tests.reliability.reads import Reads
from tests.reliability.twins import Ground
from tests.reliability.writes import Writes


class StoreMachine(Writes, Reads):
    """All of it, in whatever order."""


@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.timeout(3600)
def test_the_store_does_what_the_model_says(
    database_url: str,
    own_database: Database,
    soak: bool,  # noqa: FBT001
    tried: Tried,
) -> None:
    row = tried(
        "whatever is asked in whatever order",
        made="a state machine by hypothesis: two processes, two tenants, a model in memory",
        holds="the same answers, refusals, places, views, pages and followers; chains whole",
    )
    with Listener(own_database, poll_seconds=0.25) as listener:
        ground = Ground(database_url, own_database, listener)

        class Grounded(StoreMachine):
            pass

        Grounded.ground = ground

        run_state_machine_as_test(
            Grounded,
            settings=settings(
                max_examples=150 if soak else 8,
                stateful_step_count=60 if soak else 40,
                derandomize=not soak,
                phases=[Phase.explicit, Phase.generate],
                suppress_health_check=list(HealthCheck),
                database=None,
            ),
        )
    refused = sum(ground.refusals.values())
    row.came = (
        f"{ground.runs} runs, {ground.steps} steps, {refused} refusals of "
        f"{len(ground.refusals)} kinds, all as the model says"
    )
