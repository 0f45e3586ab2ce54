"""That nothing acknowledged is lost, and nothing sent brings the service down."""
