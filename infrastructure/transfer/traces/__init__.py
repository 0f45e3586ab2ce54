"""Traces of running agents taken into threads: `ingest`; `threads` that they are taken into."""
