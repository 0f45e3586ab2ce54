SELECT position
FROM agentlog.counter
