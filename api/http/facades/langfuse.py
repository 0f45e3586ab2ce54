"""Langfuse: where its SDK sends spans, by the address of the service and a key alone.

It sends a key as the password of Basic authentication; its public key may be any text.
"""

from fastapi import APIRouter, Request, Response

from agentlog.api.http.codec.caller import tenant_of
from agentlog.api.http.codec.exports import take_otlp
from agentlog.api.http.codec.responses import json_answer
from agentlog.projections.view import Item

router = APIRouter(prefix="/api/public")


@router.get("/projects")
async def list_projects(request: Request) -> Response:
    """Return the tenant of the key as a project: the SDK asks so whether its keys are valid."""
    name = tenant_of(request).name
    organization: Item = {"id": name, "name": name}
    project: Item = {"id": name, "name": name, "organization": organization, "metadata": {}}
    return json_answer({"data": [project]})


@router.post("/otel/v1/traces")
async def take_spans(request: Request) -> Response:
    """Take spans, as `POST /otlp/v1/traces` does."""
    return await take_otlp(request, "traces")
