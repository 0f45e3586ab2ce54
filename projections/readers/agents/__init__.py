"""Readers of the files in which agent programs keep their histories."""
