"""What each entry point does with hostile shapes: work is linear, and bounded."""
