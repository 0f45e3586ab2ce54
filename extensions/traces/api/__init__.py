"""The routes, those of Langfuse and LangSmith for their clients, and the command."""
