"""Reader of Claude Code's sessions: their lines, and the answers of the model in them."""
