"""Threads as spans of OpenTelemetry, in OTLP's JSON and protobuf."""
