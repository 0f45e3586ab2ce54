"""Readers of OpenHands: conversations of its agent SDK, events of version 0."""
