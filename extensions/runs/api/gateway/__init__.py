"""The gateway: a proxy before model providers that puts every exchange on record."""
