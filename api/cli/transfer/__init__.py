"""Commands that bring histories in and out."""
