"""What every installed format is held to, whoever brought it."""
