"""The recipes of CONTRIBUTING.md, followed: what they add works without edits elsewhere."""
