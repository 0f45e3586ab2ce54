"""Numbered plain SQL, `NNNN_name.sql`: what `agentlog migrate` and `serve` run, each file once."""
