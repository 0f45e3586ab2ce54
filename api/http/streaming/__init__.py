"""Server-sent events: frames, subscribers, and the streams of a thread and of the log."""
