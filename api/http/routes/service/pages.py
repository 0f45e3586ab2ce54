"""Pages for browsers: `/`, and /docs, which is Swagger UI from files of our own."""

from importlib import resources
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from api.http.codec.responses import json_answer, policy_of_page

router = APIRouter(include_in_schema=False)

SUMMARY: Final = "A message store for AI agents."
_LINKS: Final = {"docs": "/docs", "health": "/healthz", "threads": "/v1/threads"}
_ROOT_PAGE: Final = f"""<!DOCTYPE html>
<html lang="en">
<title>agentlog</title>
<h1>agentlog</h1>
<p>{SUMMARY}</p>
<ul>
<li><a href="{_LINKS["docs"]}">Documentation of the HTTP API</a></li>
<li><a href="{_LINKS["health"]}">Health</a></li>
<li><a href="{_LINKS["threads"]}">Threads</a></li>
</ul>
</html>
"""

_FILES: Final = resources.files("fastapi_swagger") / "resources"
_MEDIA_TYPES: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}


@router.get("/")
async def read_root(request: Request) -> Response:
    """What this is and where to go on: a page where Accept names HTML, else JSON."""
    vary = {"Vary": "Accept"}
    if "text/html" in request.headers.get("accept", ""):
        return HTMLResponse(_ROOT_PAGE, headers=vary)
    return json_answer({"name": "agentlog", "summary": SUMMARY, "links": _LINKS}, headers=vary)


@router.get("/docs")
async def read_docs() -> HTMLResponse:
    """Every route, to try."""
    page = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="agentlog",
        swagger_js_url="/docs/swagger-ui-bundle.js",
        swagger_css_url="/docs/swagger-ui.css",
        swagger_favicon_url="/docs/favicon-32x32.png",
    )
    script = bytes(page.body).rpartition(b"<script>")[2].partition(b"</script>")[0]
    page.headers["Content-Security-Policy"] = policy_of_page(script)
    return page


@router.get("/docs/{name}")
def read_docs_file(name: str) -> Response:
    """A file of Swagger UI."""
    if name not in _MEDIA_TYPES:
        raise HTTPException(404)
    return Response((_FILES / name).read_bytes(), media_type=_MEDIA_TYPES[name])
