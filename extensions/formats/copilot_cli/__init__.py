"""Copilot CLI: its sessions, and what they say of the context."""
