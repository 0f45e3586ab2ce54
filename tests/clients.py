"""What HTTP clients of tests share."""

import socket
import ssl

TLS = ssl.create_default_context()
"""For `verify`, of all of them: to make one takes fifty times as long as a request on loopback."""


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port
