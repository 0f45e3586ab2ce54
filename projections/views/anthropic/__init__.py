"""The view `anthropic`: messages of Anthropic's API."""
