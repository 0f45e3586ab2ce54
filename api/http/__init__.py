"""agentlog over HTTP: FastAPI under /v1, errors as RFC 9457 problems."""
