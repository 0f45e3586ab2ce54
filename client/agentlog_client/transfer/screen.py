"""What commands print: lines on standard error, safe for a terminal."""

import sys


def on_one_line(text: str) -> str:
    """Return a text without control characters."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


class Screen:
    """Standard error: lines, and one that is overwritten while something goes on."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._has_progress = False

    def line(self, text: str) -> None:
        """Print a line."""
        self.end()
        self._write(f"{on_one_line(text)}\n")

    def progress(self, what: str, done: int, total: int) -> None:
        """Show how far something has come, if anybody looks."""
        if self._is_terminal and total:
            text = f"\r{what} {min(100, done * 100 // total):>3} % of {total / 2**20:,.1f} MiB"
            self._write(text)
            self._has_progress = True

    def end(self) -> None:
        """Remove the line of what went on."""
        if self._has_progress:
            self._write("\r\x1b[2K")
            self._has_progress = False

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()
