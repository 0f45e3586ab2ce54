"""The script agentlog: that of the whole agentlog where it is installed, else the client's own.

A module beside the package, whose import takes longer than the whole command line's.
"""

from importlib import import_module
from importlib.util import find_spec


def run() -> None:
    """Run the command line; ends the process."""
    whole = find_spec("agentlog") is not None
    import_module("agentlog.__main__" if whole else "agentlog_client.transfer.program").run()
