"""What a tenant defines: rules (success, shells, retention, mask) and saved filters."""
