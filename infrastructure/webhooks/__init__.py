"""Webhooks: deliveries of subscriptions posted to addresses, by the rules of Standard Webhooks.

https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md

    secret        what signs a request; shown once
    addresses     where requests may go: no private network that is not allowed
    registration  a subscription made, with its secret
    payload       the body and id of a delivery
    poster        one request, and what came of it
    courier       has all be posted, retried, and paused where an address fails for long
"""
