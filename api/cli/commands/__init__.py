"""Commands with their arguments and options. Each imports its implementation when run."""
