"""Lines on their way to the service while no file can be written: a bounded queue in memory."""

from collections import deque


class MemoryLines:
    """Takes what a `SpoolFile` would; it ends with the process."""

    def __init__(self, most_bytes: int) -> None:
        self._lines: deque[bytes] = deque()
        self._most_bytes = most_bytes
        self.waiting = 0

    def append(self, line: bytes) -> None:
        """Keep a line.

        Raises:
            OSError: there is no room.
        """
        if self.waiting + len(line) > self._most_bytes:
            raise OSError(f"no room in memory for {len(line)} bytes")
        self._lines.append(line)
        self.waiting += len(line)

    def pending(self, most: int) -> list[bytes]:
        """Return the first lines: of so many bytes together, or one."""
        lines: list[bytes] = []
        for line in list(self._lines):
            most -= len(line)
            if lines and most < 0:
                break
            lines.append(line)
        return lines

    def acknowledge(self, count: int) -> None:
        """Forget the first lines, so many bytes of them."""
        self.waiting -= count
        while count > 0:
            count -= len(self._lines.popleft())
