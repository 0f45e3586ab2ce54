"""Commands that exchange requests and answers with model providers."""
