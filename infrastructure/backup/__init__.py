"""Backups of the whole log, and the way back.

A backup is a folder: PostgreSQL's own archive of the database, and a manifest that says what has to
come back out of it. Read models, snapshots and tiles are not in it: they come again from the log.

    log.dump           pg_dump's custom format: pg_restore reads it without us
    manifest.json      versions, digests, and each tenant's events, tree and signed checkpoint
    signing-key.pem    only where it was asked for

    errors        what can go wrong, and the way out
    manifest      what a backup says of itself
    programs      pg_dump, pg_restore and psql of a version that fits the server
    contents      what the log holds as of a snapshot
    folder        a backup's folder: there whole, or not at all
    dump          making one
    restore       bringing one back into a database that holds nothing yet
    verification  whether what came back is what was put in
"""
