"""Reader of trajectories in Harbor's format (ATIF)."""
