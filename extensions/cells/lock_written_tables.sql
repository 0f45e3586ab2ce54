LOCK TABLE agentlog.blobs, agentlog.checkpoints, agentlog.keys, agentlog.imports,
    agentlog.definitions, agentlog.subscriptions IN SHARE MODE
