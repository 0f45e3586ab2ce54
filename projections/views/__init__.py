"""The views, a module or a package each: pure folds over a thread's events."""
