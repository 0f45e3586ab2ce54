"""What a tenant defines: rules (what success is, which tools are shells), and saved filters."""
