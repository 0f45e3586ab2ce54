"""The command line: all operations of the HTTP API. Heavy modules are imported on use."""
