"""A scripted model provider on loopback, for all that posts requests to model APIs."""
