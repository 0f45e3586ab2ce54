"""Read models: what the events of all threads come to as rows of tables, for analytics.

`table` says what a table is, `model` what fills one; then a module a read model, each a fold of
events into rows. All pure: `infrastructure.readmodels` keeps the tables and brings the events.
"""
