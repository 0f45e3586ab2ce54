"""What any long-running process needs: logging, background work, files of keys and locks."""
