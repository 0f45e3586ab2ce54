"""Notifications of the database, and who waits for them."""
