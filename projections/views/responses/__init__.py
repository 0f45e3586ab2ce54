"""The view `responses`: items of OpenAI's Responses and Conversations."""
