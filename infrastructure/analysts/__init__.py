"""SQL queries of analysts over the views of `agentlog_analytics`, within limits.

The database confines them. They run under a login of their own (`login`), which may read the
documented views and nothing else, and the views show the rows of the tenant that the login is bound
to. The service adds limits: one query, read-only, a time, a size, a number of concurrent queries.

    errors      the errors, each with the way out
    login       the database role of analysts: made on the embedded server, or given
    parameters  `:name` in a query, and values
    session     one connection for one query, with a deadline and a limit of rows
    answers     results of queries, and the catalogue of the tables
    analyst     runs queries within the limits
    slots       limits concurrent queries
"""
