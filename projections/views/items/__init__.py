"""Views of items as they came in: items of several messages, sessions that clients delete from."""
