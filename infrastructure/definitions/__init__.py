"""What a tenant defines: rules (success, shells, retention) and saved filters."""
