"""Attribution: what could have caused that a run failed, read from the log."""
