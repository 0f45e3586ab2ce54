"""The one package that is installed: its parts are the folders beside it, by links."""
