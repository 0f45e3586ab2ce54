"""PostgreSQL: connections, roles, migrations, notifications and SQL files."""
