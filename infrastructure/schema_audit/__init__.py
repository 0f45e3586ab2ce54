"""Compares the definitions of our schemas with those that our migrations and read models make."""

from agentlog.infrastructure.schema_audit.audit import audit_schema

__all__ = ["audit_schema"]
