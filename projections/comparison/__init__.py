"""Comparison of histories: aligned by what was said and called, not by position.

`steps` says what is compared, `alignment` aligns two histories, `comparison` shows where they
differ, `changes` what differs within an item, `partings` where many histories part, `matrix` aligns
many at once.
"""
