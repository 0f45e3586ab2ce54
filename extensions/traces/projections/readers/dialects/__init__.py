"""Dialects of OpenTelemetry's spans: each says whether it knows a span, and reads it."""
