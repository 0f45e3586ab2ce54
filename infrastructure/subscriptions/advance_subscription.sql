-- No row where another has taken these events in.
UPDATE agentlog.subscriptions
SET position = %(upto)s
WHERE tenant = %(tenant)s AND name = %(name)s AND position = %(before)s
