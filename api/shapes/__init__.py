"""What HTTP and the command line show, as JSON and as tables."""
