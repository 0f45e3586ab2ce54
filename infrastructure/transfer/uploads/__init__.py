"""Imports of files that come in pieces, over HTTP.

errors   what is refused, each with the way out
order    what is to be imported, and how
spool    the files of a tenant's imports, on disk until they are imported or a day old
queue    runs imports in threads: one at a time of each tenant
uploads  the imports of a tenant: begun, sent, run
"""
