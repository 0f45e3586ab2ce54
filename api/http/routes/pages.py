"""Pages for browsers: /docs, which is Swagger UI from files of our own, without the internet."""

from importlib import resources
from typing import Final

from fastapi import APIRouter, Response
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from api.http.codec.security_headers import policy_of_page

router = APIRouter(include_in_schema=False)

_FILES: Final = resources.files("fastapi_swagger") / "resources"
_MEDIA_TYPES: Final = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}


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
