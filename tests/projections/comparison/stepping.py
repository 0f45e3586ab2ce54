"""Histories as steps, for tests."""

from collections.abc import Sequence
from typing import Any

from agentlog.domain.events import Event
from agentlog.projections.comparison.comparison import ComparedHistory, Comparison, compare
from agentlog.projections.comparison.steps import Stepping
from agentlog.projections.registry import AnyView, choose_view
from agentlog.projections.view import StateView, print_items, render
from tests.histories import history
from tests.projections.views.test_laws import ALL_VIEWS

KERNEL = choose_view("kernel")
LISTS = [view for view in ALL_VIEWS if not isinstance(view, StateView)]


def history_of(events: Sequence[Event], view: AnyView = KERNEL) -> ComparedHistory:
    """Return what is compared of a thread with these events."""
    items = print_items(render(view, events).items)
    return ComparedHistory.of(Stepping(view).steps(items))


def compared(
    a: Sequence[dict[str, Any]], b: Sequence[dict[str, Any]], view: AnyView = KERNEL
) -> Comparison:
    """Return the comparison of two threads with these messages."""
    return compare(history_of(history(*a), view), history_of(history(*b), view))
