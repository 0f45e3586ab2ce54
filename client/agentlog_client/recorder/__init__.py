"""Records what agents do, without stopping them.

`recorder` has what agents call; `uploader` is the thread that sends, `delivery` how, `lifetime`
when it ends; `spool` keeps what waits, in a `spool_file` or in memory, `refused` what is refused;
`trouble` is what a recorder tells of.
"""

from agentlog_client.recorder.recorder import Recorder
from agentlog_client.recorder.trouble import Trouble

__all__ = ["Recorder", "Trouble"]
