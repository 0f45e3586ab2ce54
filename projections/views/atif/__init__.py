"""The view `atif`: a thread as a trajectory of ATIF."""
