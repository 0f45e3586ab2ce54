"""What stands around every route: ids, authentication, permissions, limits, metrics, traces."""
