-- Deliveries whose last lease ended without an acknowledgement.
UPDATE agentlog.deliveries
SET parked_at = now(), lease = NULL, error = coalesce(error, 'it was not acknowledged in time')
WHERE tenant = %(tenant)s AND subscription = %(name)s AND parked_at IS NULL
    AND attempts >= %(max_attempts)s AND due_at <= now()
