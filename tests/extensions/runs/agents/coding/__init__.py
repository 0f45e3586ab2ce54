"""Coding agents from npm, as `package.json` names them."""
