"""Routes of Letta, by what they are about; its client adds the version to the address."""

PREFIX = "/letta/v1"
