"""Cases of the clients of agents, beside the stores that their frameworks bring."""
