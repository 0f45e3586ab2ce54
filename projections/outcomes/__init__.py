"""What came of calls and runs: successes, failures, further attempts, and what looks wrong."""
