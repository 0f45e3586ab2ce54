"""From each wire to messages: what `import` reads, and the views' way back."""
