"""Goose: its sessions, and what of them the model was sent."""
