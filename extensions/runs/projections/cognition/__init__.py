"""Threads as steps of a cognitive engine, and engines driven over them.

turns      an input of the engine, and the events up to the next one
decisions  decisions that events record, compared with an engine's
inputs     inputs that events are
steps      state, input, decision and next state, as recorded
replay     an engine's transitions beside the recorded ones
"""
