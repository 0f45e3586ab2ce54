"""Texts for a terminal."""


def printable(text: str) -> str:
    """Return `text` with control characters made visible, safe for a terminal."""
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)
