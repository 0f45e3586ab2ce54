"""From exchanges to messages: runs, the conversations in them, and those of a gateway."""
