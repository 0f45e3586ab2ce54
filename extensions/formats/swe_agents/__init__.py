"""Readers of the runs of SWE-agent and mini-swe-agent."""
