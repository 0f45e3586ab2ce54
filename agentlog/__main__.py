"""Entry point: nothing of weight is imported where Ctrl-C would print a traceback."""

import codecs
import gc
import sys
from io import TextIOWrapper

from agentlog.api.cli import INTERRUPTED


def run() -> None:
    """Run the command line; ends the process."""
    gc.set_threshold(50_000)  # collections while modules are imported are a tenth of a start
    codecs.register_error("agentlog", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal's encoding may lack characters
            stream.reconfigure(errors="agentlog")
    try:
        from agentlog.api.cli.main import app  # noqa: PLC0415 - takes 0.2 s

        app()
    except KeyboardInterrupt:  # while modules were imported
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)


def _escaped(error: UnicodeError) -> tuple[str, int]:
    """Return what cannot be encoded as escapes of JSON, in which it may stand."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2)), error.end


if __name__ == "__main__":
    run()
