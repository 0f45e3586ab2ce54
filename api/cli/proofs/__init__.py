"""Commands that verify the log, and prove what it has."""
