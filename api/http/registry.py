"""Registry of routers by name."""

from agentlog.api.http.routing import Router
from agentlog.extension import Registry

ROUTERS: Registry[Router] = Registry(
    "routes",
    {
        "threads": "agentlog.api.http.routes.threads:router",
        "summaries": "agentlog.api.http.routes.reports.summaries:router",
        "messages": "agentlog.api.http.routes.messages:router",
        "views": "agentlog.api.http.routes.views:router",
        "comparison": "agentlog.api.http.routes.comparison:router",
        "log": "agentlog.api.http.routes.log:router",
        "search": "agentlog.api.http.routes.search:router",
        "definitions": "agentlog.api.http.routes.service.definitions:router",
        "blobs": "agentlog.api.http.routes.blobs:router",
        "forks": "agentlog.api.http.routes.forks:router",
        "imports": "agentlog.api.http.routes.imports:router",
        "redaction": "agentlog.api.http.routes.redaction:router",
        "streams": "agentlog.api.http.routes.streams:router",
        "projections": "agentlog.api.http.routes.service.projections:router",
        "analytics": "agentlog.api.http.routes.reports.analytics:router",
        "sql": "agentlog.api.http.routes.reports.sql:router",
        "audit": "agentlog.api.http.routes.audit:router",
        "keys": "agentlog.api.http.routes.service.keys:router",
        "subscriptions": "agentlog.api.http.routes.service.subscriptions:router",
        "monitoring": "agentlog.api.http.routes.service.monitoring:router",
        "pages": "agentlog.api.http.routes.service.pages:router",
    },
)
