"""Every view by its name."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from domain.errors import InvalidViewOption, UnknownView
from projections.kernel import KernelView
from projections.openai import OpenAIView
from projections.view import View

AnyView = View[Any, Any]

VIEWS: Mapping[str, type[AnyView]] = {view.name: view for view in (KernelView, OpenAIView)}


def choose_view(name: str, options: Mapping[str, object] | None = None) -> AnyView:
    """Return the view `name` with its options, which may come as text.

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
        known = tuple(
            f"{field}={_values(info.annotation)}"
            for field, info in view.options_type.model_fields.items()
        )
        raise InvalidViewOption(name, str(error.errors()[0]["loc"][0]), known=known) from error


def _values(annotation: Any) -> str:  # noqa: ANN401 - an annotation has no narrower type
    if annotation is bool:
        return "true|false"
    return "|".join(getattr(annotation, "__args__", ())) or annotation.__name__
