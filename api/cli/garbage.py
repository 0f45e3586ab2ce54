"""How often a process that works for long looks for objects that only point to each other."""

import gc

_THRESHOLDS = (50_000, 20, 10)


def collect_rarely() -> None:
    """Have the garbage collector look at less, and less often; to be called once all is imported.

    A read or a batch makes many objects and drops them together, and hardly any are in cycles: by
    default the collector goes through them every 700, and now and then through all there are.
    """
    gc.collect()
    gc.freeze()  # what is imported by now stays: no collection need look at it again
    gc.set_threshold(*_THRESHOLDS)
