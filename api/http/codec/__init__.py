"""Requests read and responses written: parameters, bodies, JSON, problems."""
