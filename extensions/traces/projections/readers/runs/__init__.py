"""LangSmith's runs: `run` as spans, `parts` as they come, begun and ended apart."""
