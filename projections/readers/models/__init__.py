"""Readers of messages as APIs of models and frameworks for agents have them."""
