"""Views, read models and readers of wire formats; pure functions of events.

`registry` lists the views, one module or package each in `views`; `readers` convert each wire
format to messages; `readmodels` fill tables.
"""
