"""Registry of views by name."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import ValidationError

from agentlog.domain.errors import InvalidViewOption, UnknownView
from agentlog.extension import Registry
from agentlog.projections.view import View

AnyView = View[Any, Any]

VIEWS: Registry[type[AnyView]] = Registry(
    "views",
    {
        "kernel": "agentlog.projections.views.kernel:KernelView",
        "openai": "agentlog.projections.views.openai:OpenAIView",
        "maria": "agentlog.projections.views.maria.view:MariaView",
        "agent-state": "agentlog.projections.views.agent_state:AgentStateView",
        "anomalies": "agentlog.projections.views.anomalies:AnomaliesView",
        "letta": "agentlog.projections.views.letta.view:LettaView",
        "openletta": "agentlog.projections.views.openletta:OpenLettaView",
        "timeline": "agentlog.projections.views.timeline.view:TimelineView",
        "request": "agentlog.projections.views.request:RequestView",
        "responses": "agentlog.projections.views.responses.view:ResponsesView",
        "anthropic": "agentlog.projections.views.anthropic.view:AnthropicView",
        "source": "agentlog.projections.views.source:SourceView",
        "remarks": "agentlog.projections.views.remarks:RemarksView",
    },
)


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
