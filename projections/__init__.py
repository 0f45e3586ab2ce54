"""What the log looks like: one module per view, each a pure fold over a thread's events.

`registry` names the views; `readers` goes the other way, from each wire format to messages.
"""
