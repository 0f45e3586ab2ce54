"""Spans of agents as messages: exports of observability tools, and OpenTelemetry's protocol.

Formats and the live endpoint go through one fold: a dialect reads a span, `recorder` says what it
adds to its thread.

langfuse, langsmith, otlp    formats of files; `files`: rows as histories
otlp_json     OTLP's JSON as spans and log records
runs          LangSmith's runs, whole or in parts
dialects      attributes of OpenTelemetry's spans and log records
span          the one type of spans
placement     the order of spans, and the conversation of each
thread        what a thread has of spans
recorder      what a span adds to its thread
message_reader, turns    messages of any API, turn by turn
contexts      what models were given
calls         what calls a thread has
drafts        turns as drafts
"""
