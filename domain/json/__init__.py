"""JSON as the log keeps it: parsed strictly, printed byte for byte, with places for errors."""
