"""What a request is: who asks, under which id and limits, and why it is refused."""
