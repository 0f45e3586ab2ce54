"""What is searched: the texts of messages, and the meaning of a search text."""
