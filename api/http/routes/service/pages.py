"""Pages for browsers: the page at `/` and its screens, and /docs, which is Swagger UI.

The page is built from `web/` into `api/page`; `make page` does it in a checkout, a wheel has it.
"""

import re
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from fastapi import Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse

from agentlog.api.http.codec.responses import json_answer, policy_of_docs, policy_of_page
from agentlog.api.http.routing import Router

router = Router(in_document=False)

SUMMARY: Final = "A message store for AI agents."
_LINKS: Final = {"docs": "/docs", "health": "/healthz", "threads": "/v1/threads"}

PAGE: Final = resources.files("agentlog.api") / "page"
_ASSET: Final = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.(js|css|svg)")
_ASSET_TYPES: Final = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_NOT_BUILT: Final = f"""<!DOCTYPE html>
<html lang="en">
<title>agentlog</title>
<h1>agentlog</h1>
<p>{SUMMARY} Its page is not built here. In a checkout, run <code>make page</code>.</p>
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


@router.add("GET /", "nothing")
def read_root(request: Request) -> Response:
    """The page where Accept names HTML, else what this is and where to go on, as JSON."""
    if names_html(request):
        return page()
    root = {"name": "agentlog", "summary": SUMMARY, "links": _LINKS}
    return json_answer(root, headers={"Vary": "Accept"})


@router.add("GET /threads/{thread_id}", "nothing")
def read_thread_screen(thread_id: str) -> Response:
    """The page, at a thread: it asks for that itself."""
    del thread_id
    return page()


@router.add("GET /live", "nothing")
@router.add("GET /compare", "nothing")
@router.add("GET /reports", "nothing")
@router.add("GET /reports/{name}", "nothing")
@router.add("GET /sql", "nothing")
@router.add("GET /audit", "nothing")
@router.add("GET /keys", "nothing")
def read_screen() -> Response:
    """The page, at one of its screens."""
    return page()


@router.add("GET /assets/{name}", "nothing")
def read_asset(request: Request, name: str) -> Response:
    """A file of the page, whose name has a digest of its content."""
    path = PAGE / "assets" / name
    known = _ASSET.fullmatch(name)
    if known is None or not path.is_file():
        raise HTTPException(404)
    headers = {"Cache-Control": _FOR_EVER}
    return _file(request, path, _ASSET_TYPES[known[2]], headers)


def names_html(request: Request) -> bool:
    """Return whether Accept names HTML, as browsers have it."""
    return "text/html" in request.headers.get("accept", "")


def page(status: int = 200) -> Response:
    """Return the page; at an address that is none of its screens it says so."""
    path = PAGE / "index.html"
    content = path.read_bytes() if path.is_file() else _NOT_BUILT.encode()
    headers = {"Content-Security-Policy": policy_of_page(), "Vary": "Accept"}
    return HTMLResponse(content, status, headers=headers)


def _file(request: Request, path: Traversable, kind: str, headers: dict[str, str]) -> Response:
    """Return a file, in its Brotli form where the client takes that."""
    headers["Vary"] = "Accept-Encoding"
    if "br" in re.split(r"[,;\s]+", request.headers.get("accept-encoding", "")):
        packed = PAGE / "assets" / f"{path.name}.br"
        if packed.is_file():
            return Response(
                packed.read_bytes(), media_type=kind, headers=headers | {"Content-Encoding": "br"}
            )
    return Response(path.read_bytes(), media_type=kind, headers=headers)


@router.add("GET /openapi.json", "nothing")
def read_document(request: Request) -> Response:
    """The OpenAPI document."""
    return JSONResponse(request.app.openapi())


@router.add("GET /docs", "nothing")
async def read_docs() -> HTMLResponse:
    """Every route, to try."""
    html = get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="agentlog",
        swagger_js_url="/docs/swagger-ui-bundle.js",
        swagger_css_url="/docs/swagger-ui.css",
        swagger_favicon_url="/docs/favicon-32x32.png",
    )
    script = bytes(html.body).rpartition(b"<script>")[2].partition(b"</script>")[0]
    html.headers["Content-Security-Policy"] = policy_of_docs(script)
    return html


@router.add("GET /docs/{name}", "nothing")
def read_docs_file(name: str) -> Response:
    """A file of Swagger UI."""
    if name not in _MEDIA_TYPES:
        raise HTTPException(404)
    return Response((_FILES / name).read_bytes(), media_type=_MEDIA_TYPES[name])
