"""Threads in the forms that other programs take: training examples and spans."""
