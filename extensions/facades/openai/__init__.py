"""OpenAI's API at `/openai/v1`: conversations, stored completions and responses of our threads.

Routes, shapes and cursors are those of openai 3.54. Each route takes `at`, a moment, beside what
OpenAI's take. What needs a model goes to a gateway, where one is set up.
"""
