"""What a model was sent, computed once over the links between messages that are on record."""
