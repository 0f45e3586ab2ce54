"""Reader of agents as Letta's files (`.af`)."""
