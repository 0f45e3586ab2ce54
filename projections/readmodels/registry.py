"""Registry of read models by name."""

from collections.abc import Mapping
from typing import Any

from agentlog.domain.errors import NotThere
from agentlog.projections.readmodels.approvals import Approvals
from agentlog.projections.readmodels.message_words import MessageWords
from agentlog.projections.readmodels.messages import Messages
from agentlog.projections.readmodels.model import ReadModel
from agentlog.projections.readmodels.model_calls import ModelCalls
from agentlog.projections.readmodels.suspicions import Suspicions
from agentlog.projections.readmodels.threads import Threads
from agentlog.projections.readmodels.tool_calls import ToolCalls
from agentlog.projections.readmodels.workers import Workers

AnyReadModel = ReadModel[Any]

READ_MODELS: Mapping[str, AnyReadModel] = {
    model.name: model
    for model in (
        Threads(),
        Messages(),
        ToolCalls(),
        Suspicions(),
        ModelCalls(),
        Approvals(),
        Workers(),
        MessageWords(),
    )
}

PUBLIC_READ_MODELS: Mapping[str, AnyReadModel] = {
    name: model for name, model in READ_MODELS.items() if model.table.public
}
"""Those that analysts see and the Parquet dataset has."""


class UnknownReadModel(NotThere):
    """No read model has that name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"no projection {name[:64]!r}: there are {', '.join(READ_MODELS)}")


def read_model(name: str) -> AnyReadModel:
    """Return the read model `name`; raises `UnknownReadModel`."""
    model = READ_MODELS.get(name)
    if model is None:
        raise UnknownReadModel(name)
    return model
