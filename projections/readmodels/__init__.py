"""Read models: tables for analytics, filled from the events of all threads.

`table` defines tables, `model` the folds that fill them; then one module per read model. All pure:
`infrastructure.readmodels` stores the tables and reads the events.
"""
