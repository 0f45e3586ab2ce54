"""The ways in: HTTP and the command line, and the one place where everything is wired."""
