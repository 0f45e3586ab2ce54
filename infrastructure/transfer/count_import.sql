UPDATE agentlog.imports
SET threads = threads + %(threads)s, events = events + %(events)s, grown = grown || %(grown)s::text[]
WHERE tenant = %(tenant)s AND id = %(id)s
