"""The HTTP API: FastAPI under /v1, errors as RFC 9457 problems."""
