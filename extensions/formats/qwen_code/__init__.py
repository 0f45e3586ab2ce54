"""Qwen Code: its sessions, and what they say of the context."""
