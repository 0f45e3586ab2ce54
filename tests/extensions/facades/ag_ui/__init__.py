"""AG-UI; with its own client, from npm (`make ag-ui-client`)."""
