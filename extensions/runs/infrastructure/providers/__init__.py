"""Requests to model providers over HTTP."""
