"""A separate process for projections, so that they do not delay appends or reads."""

import os
import sys

from agentlog.infrastructure.runtime.supervised_process import SupervisedProcess

RUN = ("projections", "run", "--with-parent")
"""The agentlog command that runs projections until its standard input closes."""

_PROGRAM = (sys.executable, "-m", "agentlog")


def projector_process(url: str) -> SupervisedProcess:
    """Return the process that runs projections; `url` is of a migrated database."""
    return SupervisedProcess(
        (*_PROGRAM, *RUN),
        name="projections",
        environment={**os.environ, "AGENTLOG_DATABASE_URL": url},
    )
