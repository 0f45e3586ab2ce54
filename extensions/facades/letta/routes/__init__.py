"""Routes of Letta, by what they are about; its client adds the version to the address."""

from typing import Final

from agentlog.api.http.routing import naming

PREFIX = "/letta/v1"

THREADS: Final = {
    **naming("agent_id", "agent_ids", "conversation_id"),
    "run_id": lambda run_id: (run_id.removeprefix("run-").partition("-")[2],),
}
"""Parameters that name threads; a run's id is that of `turns.id_of_run`."""
