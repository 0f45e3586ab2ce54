"""The view `maria`: the envelopes that Maria's clients expect."""
