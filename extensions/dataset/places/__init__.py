"""Where a dataset is kept: `place` says what exports ask of it, a folder or a bucket does it."""
