"""The view `maria`: event envelopes for Maria's clients."""
