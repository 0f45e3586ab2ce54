"""Langfuse: where its SDK sends spans and scores, by the address of the service and a key alone.

It sends a key as the password of Basic authentication; its public key may be any text.
"""
