"""Agents of today's frameworks, traced by today's instrumentations, against a stand-in model.

provider     the stand-in: one story for all, and what it was sent
recording    a program run: what the provider was sent, and the spans that came of it
matrix       which programs, and what their spans lack
programs     the agents; they run in an environment of their own, `.venv-nightly`

`make test` reads the recordings in `tests/golden/spans`. `make test-slow` runs the programs anew;
with AGENTLOG_ADD_GOLDEN=1 it writes recordings that are missing.
"""
