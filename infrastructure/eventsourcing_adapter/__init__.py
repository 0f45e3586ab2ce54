"""The log behind the interfaces of the library eventsourcing; not the service's write path."""
