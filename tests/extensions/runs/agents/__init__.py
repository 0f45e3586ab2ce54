"""Agents as users have them, recorded before a scripted provider and replayed without it."""
