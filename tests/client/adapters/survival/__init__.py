"""Agents of frameworks as processes of their own, to be killed.

python -m tests.client.adapters.survival.FRAMEWORK URL WRITER TURNS

An agent asks `WRITER 0`, `WRITER 1`, … until its session has as many TURNS, and begins where the
session stands. It prints `calls` amid a turn, and an answer once it is kept.
"""
