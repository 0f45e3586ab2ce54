"""Tests of reports: each figure against a straight computation over what was appended."""
