"""Where a database is, as settings say it; what is off in one is told without repeating any of it.

A password with characters that a URL gives a meaning to ends up in other fields, and errors of
psycopg, libpq and the resolver repeat those.
"""

from collections.abc import Mapping
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

FORM = (
    "write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, and in the password all but letters and "
    "digits as %XX (an @ is %40)"
)


class InvalidConninfo(psycopg.ProgrammingError):
    """It does not say where a database is."""


def read_conninfo(text: str) -> Mapping[str, Any]:
    """Return what a URL, or libpq's other form, says.

    Raises:
        InvalidConninfo: it cannot be read, or its password strayed into host or port.
    """
    try:
        found = conninfo_to_dict(text)
    except psycopg.ProgrammingError:
        raise InvalidConninfo(FORM) from None
    host, port = str(found.get("host") or ""), str(found.get("port") or "")
    if "@" in host or (port and not port.replace(",", "0").isdecimal()):
        raise InvalidConninfo(FORM)
    return found
