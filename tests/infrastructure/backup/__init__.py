"""Tests of backups beyond the commands: points in time, and programs that are killed."""
