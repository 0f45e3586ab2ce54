"""What each tenant of a service has, made and imported on first use."""

from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import TypeVar

from typing_extensions import override

from agentlog.infrastructure.appending.writer import Writer
from agentlog.infrastructure.postgres.database import Database
from agentlog.infrastructure.postgres.listening.notifications import Listener
from agentlog.infrastructure.runtime.closeable import Closing
from agentlog.infrastructure.settings import Settings
from agentlog.lazy import Part, lazy_imports

with lazy_imports():
    from agentlog.infrastructure import derived_audit, threads
    from agentlog.infrastructure.analysts import analyst, login, slots
    from agentlog.infrastructure.audit import proofs, signing
    from agentlog.infrastructure.comparison import comparer, run_sets
    from agentlog.infrastructure.definitions import definitions, rules
    from agentlog.infrastructure.erasure import eraser, redactor
    from agentlog.infrastructure.eventlog import blob_store, reader
    from agentlog.infrastructure.forks import forker
    from agentlog.infrastructure.matches import thread_matches
    from agentlog.infrastructure.readmodels import copied_answers
    from agentlog.infrastructure.reports import reports, summaries, worker_trees
    from agentlog.infrastructure.search import search
    from agentlog.infrastructure.subscriptions import hub, queue, subscriptions
    from agentlog.infrastructure.transfer import imports, open_histories, rehearsal
    from agentlog.infrastructure.transfer.uploads import queue as run_queue
    from agentlog.infrastructure.transfer.uploads import spool, uploads
    from agentlog.infrastructure.views import view_cache, views
    from agentlog.infrastructure.views.snapshots import key, snapshots

Made = TypeVar("Made")
_READERS_BYTES = 64 * 2**20


class _Shared(Part["Tenants", Made]):
    """What all tenants share."""


class _Own(Part["Tenant", Made]):
    """What a tenant has of its own."""


class Tenants(dict[str, "Tenant"], Closing):
    """The tenants used so far, by name, and what they share.

    Any name has a tenant, whether or not that has threads. `clock` returns milliseconds since the
    epoch, `new_id` a fresh ULID, `login_of` the database login of a tenant's analysts.
    """

    def __init__(  # noqa: PLR0913 - what a service is opened over
        self,
        settings: Settings,
        database: Database,
        listener: Listener,
        writer: Writer,
        *,
        clock: Callable[[], int],
        new_id: Callable[[], str],
        login_of: "Callable[[str], login.Login]",
    ) -> None:
        super().__init__()
        self.settings = settings
        self.database = database
        self.listener = listener
        self.writer = writer
        self.clock = clock
        self.new_id = new_id
        self.login_of = login_of
        self.making = RLock()

    slots = _Shared(lambda shared: _slots(shared.settings.analyst_queries_in_all))
    eraser = _Shared(lambda shared: eraser.Eraser(shared.database, shared.writer))
    signing_key = _Shared(lambda shared: signing.signing_key(shared.settings))
    snapshot_key = _Shared(lambda shared: key.snapshot_key(shared.settings))
    recent_views = _Shared(lambda _: view_cache.RecentViews())
    recent_readers = _Shared(lambda _: open_histories.RecentReaders(most_bytes=_READERS_BYTES))
    run_queue = _Shared(lambda _: run_queue.RunQueue())

    def __missing__(self, name: str) -> "Tenant":
        with self.making:
            if name not in self:
                self[name] = Tenant(name, self)
        return self[name]

    def forget(self, name: str, thread_id: str) -> None:
        """Drop a tenant's thread from memory, and what was sent of it to be imported.

        Contents of it were erased.
        """
        self[name].uploads.erase(thread_id)
        self.recent_views.discard((name, thread_id))
        self.recent_readers.discard((name, thread_id))
        if name in self:
            self[name].hub.discard()

    @override
    def close(self) -> None:
        parts = [vars(tenant).get("hub") for tenant in self.values()]
        for part in (*parts, vars(self).get("run_queue")):
            if part is not None:
                part.close()


class Tenant:
    """One tenant's log and the objects on it; `hub` starts with the first follower."""

    def __init__(self, name: str, shared: Tenants) -> None:
        self.name = name
        self.shared = shared
        self.confined = shared.database.confined(name)
        self.making = RLock()

    reader = _Own(
        lambda own: reader.LogReader(own.confined, tenant=own.name, searched=own.shared.database)
    )
    threads = _Own(
        lambda own: threads.Threads(
            reader=own.reader,
            writer=own.shared.writer,
            blobs=blob_store.Blobs(
                own.confined, tenant=own.name, most_bytes=own.shared.settings.max_blob_bytes
            ),
            tenant=own.name,
        )
    )
    definitions = _Own(
        lambda own: definitions.Definitions(
            own.shared.database, tenant=own.name, changed=own.shared.writer.masks.discard
        )
    )
    rules = _Own(lambda own: partial(rules.rules_in, own.definitions))
    snapshots = _Own(
        lambda own: snapshots.Snapshots(own.confined, tenant=own.name, key=own.shared.snapshot_key)
    )
    views = _Own(
        lambda own: views.Views(
            own.reader,
            tenant=own.name,
            snapshots=own.snapshots,
            recent=own.shared.recent_views,
            rules=own.rules,
            copies=lambda thread_id: copied_answers.copied_answers(
                own.confined, own.name, thread_id
            ),
        )
    )
    hub = _Own(lambda own: hub.Hub(own.reader, own.shared.listener))
    analyst = _Own(
        lambda own: analyst.Analyst(
            own.shared.login_of(own.name),
            tenant=own.name,
            slots=own.shared.slots,
            most_seconds=own.shared.settings.analyst_seconds,
        )
    )
    reports = _Own(lambda own: reports.Reports(own.confined, tenant=own.name, rules=own.rules))
    summaries = _Own(
        lambda own: summaries.Summaries(own.confined, tenant=own.name, rules=own.rules)
    )
    workers = _Own(
        lambda own: worker_trees.WorkerTrees(own.confined, own.summaries, tenant=own.name)
    )
    search = _Own(
        lambda own: search.Search(own.confined, tenant=own.name, searched=own.shared.database)
    )
    matches = _Own(lambda own: thread_matches.MatchFinder(own.views, own.rules))
    proofs = _Own(
        lambda own: proofs.Proofs.over(own.confined, tenant=own.name, key=own.shared.signing_key)
    )
    derived = _Own(
        lambda own: derived_audit.DerivedAuditor(
            own.shared.database, own.reader, own.snapshots, tenant=own.name
        )
    )
    redactor = _Own(
        lambda own: redactor.Redactor(
            own.confined,
            own.threads,
            own.shared.eraser,
            tenant=own.name,
            discard=partial(own.shared.forget, own.name),
        )
    )
    forker = _Own(
        lambda own: forker.Forker(
            own.shared.database,
            own.confined,
            own.reader,
            own.shared.eraser,
            tenant=own.name,
            clock=own.shared.clock,
            new_id=own.shared.new_id,
            masks=own.shared.writer.masks,
        )
    )
    comparer = _Own(lambda own: comparer.Comparer(own.views))
    run_sets = _Own(lambda own: run_sets.TaskComparer(own.views))
    subscriptions = _Own(
        lambda own: subscriptions.Subscriptions(own.shared.database, tenant=own.name)
    )
    queue = _Own(
        lambda own: queue.Queue(own.shared.database, own.subscriptions, own.reader, tenant=own.name)
    )
    imports = _Own(lambda own: imports.Imports(own.shared.database, own.threads, tenant=own.name))
    uploads = _Own(
        lambda own: uploads.Uploads(
            spool.Spool(
                own.shared.settings.import_dir or own.shared.settings.data_dir / "imports",
                tenant=own.name,
                most_bytes=own.shared.settings.max_import_bytes,
                most_file_bytes=own.shared.settings.max_import_file_bytes,
            ),
            own.shared.run_queue,
            own.threads,
            own.imports,
            tenant=own.name,
            access=own.shared.database.write_access,
            rehearse=own.rehearsal,
        )
    )
    histories = _Own(
        lambda own: open_histories.OpenHistories(
            own.threads, own.views, tenant=own.name, recent=own.shared.recent_readers
        )
    )

    def rehearsal(self) -> "rehearsal.Rehearsal":
        """Return threads whose appends are decided and not committed."""
        shared = self.shared
        return rehearsal.Rehearsal(
            shared.database,
            shared.writer.preparer,
            tenant=self.name,
            reader=self.reader,
            writer=shared.writer,
            blobs=self.threads.blobs,
        )


def _slots(most: int) -> "slots.Slots":
    """Return the slots of all tenants' analysts: one tenant takes a quarter of them at most."""
    return slots.Slots(most=max(1, most // 4), most_in_all=most)
