"""What agents were sent, by the links in their files."""
