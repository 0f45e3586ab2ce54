"""The HTTP server of the gateway: quiet, without WebSockets and headers of its own."""

import uvicorn
from starlette.types import ASGIApp

_LAST_ANSWERS_SECONDS = 5


def server_of(application: ASGIApp) -> uvicorn.Server:
    """Return a server of an application."""
    return uvicorn.Server(
        uvicorn.Config(
            application,
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
        )
    )
