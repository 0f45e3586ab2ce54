"""What the carry of a view is kept in, so that many versions share it."""
