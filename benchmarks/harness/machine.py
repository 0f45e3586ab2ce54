"""Where it ran, for whoever compares."""

import os
import platform
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.harness.databases import connected

_CPU_INFO = Path("/proc/cpuinfo")
_SYNCS = 1000


def describe(server: str, folder: Path) -> dict[str, str]:
    """Return the facts that figures depend on; `folder` is on the disk that is asked."""
    with connected(server) as connection:
        settings = {
            name: connection.execute("SELECT current_setting(%s)", (name,)).fetchone()
            for name in ("server_version", "fsync", "synchronous_commit", "full_page_writes")
        }
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "cores": str(os.cpu_count()),
        "processor": _processor(),
        "load": " ".join(f"{load:.1f}" for load in os.getloadavg()) + " (1, 5, 15 minutes)",
        "Python": platform.python_version(),
        "fdatasync of 8 KiB": f"{_sync_seconds(folder) * 1e6:.0f} µs",
        **{name: "?" if row is None else str(row[0]) for name, row in settings.items()},
    }


def _sync_seconds(folder: Path) -> float:
    """Return what a commit waits for at least: the median of overwriting 8 KiB and syncing it."""
    sync = getattr(os, "fdatasync", os.fsync)
    path = folder / "sync"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        os.pwrite(descriptor, bytes(2**20), 0)
        os.fsync(descriptor)
        taken = []
        for _ in range(_SYNCS):
            began = time.perf_counter()
            os.pwrite(descriptor, bytes(8192), 0)
            sync(descriptor)
            taken.append(time.perf_counter() - began)
    finally:
        os.close(descriptor)
        path.unlink()
    return median(taken)


def _processor() -> str:
    if _CPU_INFO.exists():
        for line in _CPU_INFO.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()
