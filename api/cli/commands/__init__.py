"""The commands as they are typed: words and options. Each imports what it needs when it runs."""
