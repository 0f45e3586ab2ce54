"""LangSmith: runs as its SDK sends them, by the address of the service and a key alone."""
