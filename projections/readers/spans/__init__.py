"""Readers of traces: exports of observability tools, and spans of OpenTelemetry."""
