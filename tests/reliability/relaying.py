"""A relay as a process of its own: `python -m tests.reliability.relaying socket host port`."""

import socket
import sys
import threading
from contextlib import suppress


def main(path: str, host: str, port: str) -> None:
    """Pass on what comes to a port to a Unix socket, and back, for ever."""
    with socket.create_server((host, int(port))) as listener:
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        while True:
            near, _ = listener.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(path)
            for ends in ((near, far), (far, near)):
                threading.Thread(target=_pass_on, args=ends, daemon=True).start()


def _pass_on(source: socket.socket, sink: socket.socket) -> None:
    with suppress(OSError):
        while chunk := source.recv(2**16):
            sink.sendall(chunk)
    for end in (source, sink):
        with suppress(OSError):  # it may not be connected any more
            end.shutdown(socket.SHUT_RDWR)


if __name__ == "__main__":
    main(*sys.argv[1:])
