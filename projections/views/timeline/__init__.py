"""The view `timeline`: what a thread did as spans and points, without contents."""
