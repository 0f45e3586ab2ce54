"""Spans and log records of agents, as OpenTelemetry's protocol brings them.

span          the neutral row of a span
semconv, openinference, langfuse, logfire    dialects of spans
events        log records
chat, indexed messages in other shapes, as messages with parts
turns         messages with parts, as turns
drafts        turns as drafts
calls         what calls a thread has
placement     the dialect and the conversation of each span
contexts      what models were given
thread        what a thread has of spans, and what a span adds
"""
