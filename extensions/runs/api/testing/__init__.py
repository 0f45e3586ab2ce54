"""Recorded runs in tests of agents: what `agentlog.testing` offers, and a plugin of pytest.

plugin     hooks and the fixture; imports nothing of ours until a test is marked
agent_run  an agent's run before its tape, and what is not as recorded
recording  an agent's run before its providers, put into a cassette
tools      tools answered from a recorded run
engines    cognitive engines driven over recorded threads
sources    files and threads that hold recorded runs
"""
