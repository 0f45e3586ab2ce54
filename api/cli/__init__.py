"""agentlog on the command line: all that HTTP does. Nothing heavy is imported before it is used."""
