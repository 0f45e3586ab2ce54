"""LangChain: its messages as messages of a thread."""
