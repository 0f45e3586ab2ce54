"""Routes of the service itself: its pages, health, metrics, keys and projections, and its tools."""
