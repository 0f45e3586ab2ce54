"""Readers of messages as APIs of models and frameworks of agents have them; one an API."""
