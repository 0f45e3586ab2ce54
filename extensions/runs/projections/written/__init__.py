"""Answers of models written in the words of an API, whole and as streams."""
