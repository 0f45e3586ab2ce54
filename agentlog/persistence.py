"""The log for projections of your own, by the library eventsourcing (docs/how-to/project.md).

PERSISTENCE_MODULE=agentlog.persistence has an `Application` of that library read the log.
"""

from agentlog.api.persistence import Factory
from agentlog.domain.events import Event
from agentlog.infrastructure.eventsourcing_adapter.recorder import View

__all__ = ["Event", "Factory", "View"]
