"""What HTTP clients of tests share."""

import ssl

TLS = ssl.create_default_context()
"""For `verify`, of all of them: to make one takes fifty times as long as a request on loopback."""
