"""Messages of own types: what each says in a line, and begins or ends, by its wire."""
