"""Exchanges with model providers: what a model is sent, and what it answers, by dialect."""
