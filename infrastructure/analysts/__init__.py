"""SQL for analysts: queries of others over the views of `agentlog_analytics`, kept within bounds.

What confines them is the database. They run under a login of their own (`login`), which may read
the documented views and nothing else, and the views show the rows of the tenant that the login is
bound to. Around that stand bounds of ours: one query, read-only, a time, a size, so many at once.

    errors      what can go wrong, and the way out
    login       who they are to the database: a role of our own server's, or the one they are given
    parameters  :name in a query, and values
    session     one connection for one query: sends it, and takes in no more than was asked for
    answers     what a query comes to, and the catalogue of the tables
    analyst     asks, within bounds
"""
