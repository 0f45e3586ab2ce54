"""Commands of threads: list, show, follow, compare, fork, remark."""
