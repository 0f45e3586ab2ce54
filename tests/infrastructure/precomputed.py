"""Precomputation of views, for tests that begin with snapshots."""

from agentlog.infrastructure.view_precomputation import write_snapshots
from agentlog.infrastructure.views.views import Views
from agentlog.projections.registry import AnyView


def precompute(views: Views, thread_id: str, *chosen: AnyView) -> None:
    """Write the missing snapshots of some views, as a serving process does."""
    version = views.reader.head(thread_id, hidden=True).version
    for view in chosen:
        list(write_snapshots(views, thread_id, view, version))
