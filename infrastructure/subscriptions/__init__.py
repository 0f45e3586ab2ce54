"""Subscriptions: the hub that tells followers of new events."""
