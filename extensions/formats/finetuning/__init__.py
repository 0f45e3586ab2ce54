"""Threads as examples to fine-tune a model: lines of OpenAI's format, and their command."""
