"""Spans of agents as messages, and threads as spans; pure, as the core's projections."""
