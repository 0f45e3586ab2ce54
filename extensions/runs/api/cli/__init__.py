"""The commands: what records runs, and what runs them again."""
