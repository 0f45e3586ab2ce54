"""Keys and the record of accesses."""
