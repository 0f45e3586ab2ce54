"""Backup and restore of the whole log.

A backup is a folder: PostgreSQL's own archive of the database, and a manifest of what a restore has
to bring back. Read models, snapshots and tiles are not in it: they are built again from the log.

    log.dump           pg_dump's custom format: pg_restore reads it without agentlog
    manifest.json      versions, digests, and each tenant's events, tree and signed checkpoint
    signing-key.pem    only on request

    errors        the errors, each with the way out
    manifest      what a backup contains
    programs      pg_dump, pg_restore and psql of a version that fits the server
    contents      what the log holds as of a snapshot
    folder        a backup's folder, which appears complete or not at all
    dump          makes a backup
    restore       restores one into an empty database
    verification  checks that what came back is what was backed up
"""
