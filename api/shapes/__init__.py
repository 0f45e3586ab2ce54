"""Output of HTTP and the command line: JSON and tables."""
