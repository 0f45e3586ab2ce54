"""What a model was sent."""
