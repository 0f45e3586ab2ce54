"""Attribution: which steps of a run that failed are its cause, by runs with and without them."""
