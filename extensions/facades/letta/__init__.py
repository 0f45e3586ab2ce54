"""Letta: threads as agents of letta-client 1.12, each with one conversation of the same id.

paging          lists as Letta's client pages them
turns           runs and steps of a thread
agents          what an agent, a conversation and its memory are
routes          the routes, by what they are about
"""
