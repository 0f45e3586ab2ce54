"""The view `letta`: messages as Letta's server streams them."""
