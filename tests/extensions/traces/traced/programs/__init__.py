"""Agents, each with its instrumentations; they need the packages of requirements-nightly.lock."""
