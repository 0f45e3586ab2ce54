"""Exchanges on their way into the log, recorded runs read from it, and what asks providers."""
