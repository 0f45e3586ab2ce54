"""Extensions: each a vertical slice with its code, tests and how-to, found by its entry point.

The core imports none of them, and none imports another's inside (contracts in pyproject.toml).
"""
