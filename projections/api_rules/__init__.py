"""What the APIs of model providers take as a conversation: their rules as data."""
