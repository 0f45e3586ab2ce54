"""Views: one module or package each, pure folds over a thread's events."""
