"""Output of what operates the service: keys, accesses, subscriptions."""
