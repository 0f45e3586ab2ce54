"""Followers of the log: the hub that tells them, and subscriptions that the server keeps.

hub            one reader of the log a process, for streams
subscription   what a subscription is, and its errors
terms          what one is to be, read from JSON
subscriptions  made, listed, paused, deleted
queue          what they have yet to deliver: taken in, given out, acknowledged, parked
"""
