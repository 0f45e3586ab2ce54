"""OTLP requests, in protobuf or JSON, as records."""
