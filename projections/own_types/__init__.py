"""Messages of own types: what each says in a line, by the wire that it came by."""
