"""Registry of views by name."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError

from agentlog.domain.errors import InvalidViewOption, UnknownView
from agentlog.projections.view import View
from agentlog.projections.views.ag_ui import AgUiView
from agentlog.projections.views.agent_state import AgentStateView
from agentlog.projections.views.anomalies import AnomaliesView
from agentlog.projections.views.anthropic.view import AnthropicView
from agentlog.projections.views.atif.view import AtifView
from agentlog.projections.views.kernel import KernelView
from agentlog.projections.views.letta.view import LettaView
from agentlog.projections.views.maria.view import MariaView
from agentlog.projections.views.openai import OpenAIView
from agentlog.projections.views.openletta import OpenLettaView
from agentlog.projections.views.remarks import RemarksView
from agentlog.projections.views.request import RequestView
from agentlog.projections.views.responses.view import ResponsesView
from agentlog.projections.views.run_state.view import RunStateView
from agentlog.projections.views.source import SourceView
from agentlog.projections.views.timeline.view import TimelineView

AnyView = View[Any, Any]

VIEWS: Mapping[str, type[AnyView]] = {
    view.name: view
    for view in (
        KernelView,
        OpenAIView,
        MariaView,
        AgentStateView,
        RunStateView,
        AnomaliesView,
        LettaView,
        OpenLettaView,
        TimelineView,
        RequestView,
        ResponsesView,
        AnthropicView,
        AtifView,
        AgUiView,
        SourceView,
        RemarksView,
    )
}


def choose_view(name: str, options: Mapping[str, object] | None = None) -> AnyView:
    """Return the view `name` with its options, which may be given as text.

    Raises:
        UnknownView: no view has that name.
        InvalidViewOption: the view has no such option, or not with that value.
    """
    if name not in VIEWS:
        raise UnknownView(name, known=tuple(VIEWS))
    view = VIEWS[name]
    try:
        return view(view.options_type.model_validate(dict(options or {})))
    except ValidationError as error:
        known = tuple(f"{key}={'|'.join(values)}" for key, values in option_values(view).items())
        raise InvalidViewOption(name, str(error.errors()[0]["loc"][0]), known=known) from error


def option_values(view: type[AnyView]) -> dict[str, tuple[str, ...]]:
    """Return a view's options, each with its allowed values as text."""
    return {
        name: _values(field.annotation) for name, field in view.options_type.model_fields.items()
    }


def _values(annotation: Any) -> tuple[str, ...]:  # noqa: ANN401 - an annotation has no narrower type
    return ("true", "false") if annotation is bool else get_args(annotation)
