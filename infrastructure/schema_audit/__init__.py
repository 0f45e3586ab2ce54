"""Compares the definitions of our schemas with those that our migrations and read models make."""

from agentlog.infrastructure.schema_audit.audit import audit_schema
from agentlog.infrastructure.schema_audit.coverage import not_covered

__all__ = ["audit_schema", "not_covered"]
