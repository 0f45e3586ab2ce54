"""The last step of the views of APIs: it keeps the rules of `projections/api_rules`."""
