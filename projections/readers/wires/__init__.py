"""Formats of whole histories on a wire: of the views, of the kernel, answers of chat APIs."""
