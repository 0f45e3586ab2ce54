"""The commands, the gateway, the plugin of pytest and the route."""
