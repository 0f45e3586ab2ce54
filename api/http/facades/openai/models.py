"""Routes that need a model: refused, once and for all."""

from fastapi import APIRouter, Response

from agentlog.api.http.facades.openai.pages import PREFIX
from agentlog.api.http.request.errors import NeedsModel

router = APIRouter(prefix=PREFIX)


@router.post("/chat/completions")
@router.post("/responses")
@router.post("/responses/compact")
@router.post("/responses/input_tokens")
async def refuse() -> Response:
    """Refuse what only a model can answer."""
    raise NeedsModel
