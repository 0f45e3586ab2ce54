"""The methods of both clients, each made of an operation: one table, no twins.

`Client.thread` has the signature of `operations.threads.thread` and returns what that reads;
`AsyncClient.thread` has the same signature and returns the same, awaited.
"""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar, overload

from agentlog_client import operations
from agentlog_client.operation import Listing, Operation, Stream

P = ParamSpec("P")
T = TypeVar("T")


class Sends:
    """A client that waits."""

    @abstractmethod
    def send(self, operation: Operation[T]) -> T:
        """Return what an operation of `agentlog_client.operations` answers."""

    @abstractmethod
    def items(self, source: Listing[T] | Stream[T]) -> Generator[T]:
        """Yield the items of a list, page after page, or what a stream tells."""


class SendsAsync:
    """A client that is awaited."""

    @abstractmethod
    async def send(self, operation: Operation[T]) -> T:
        """Return what an operation of `agentlog_client.operations` answers."""

    @abstractmethod
    def items(self, source: Listing[T] | Stream[T]) -> AsyncGenerator[T]:
        """Yield the items of a list, page after page, or what a stream tells."""


class Call(Generic[P, T]):
    """A method that sends an operation."""

    def __init__(self, operation: Callable[P, Operation[T]]) -> None:
        self._operation = operation

    @overload
    def __get__(self, client: Sends, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: SendsAsync, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: Sends | SendsAsync, owner: type) -> Callable[P, Any]:
        """Return the method of a client."""

        @wraps(self._operation)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - of either client
            return client.send(self._operation(*args, **kwargs))

        return method


class Items(Generic[P, T]):
    """A method that iterates over a list or a stream."""

    def __init__(self, source: Callable[P, Listing[T] | Stream[T]]) -> None:
        self._source = source

    @overload
    def __get__(self, client: Sends, owner: type) -> Callable[P, Generator[T]]: ...
    @overload
    def __get__(self, client: SendsAsync, owner: type) -> Callable[P, AsyncGenerator[T]]: ...
    def __get__(self, client: Sends | SendsAsync, owner: type) -> Callable[P, Any]:
        """Return the method of a client."""

        @wraps(self._source)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - of either client
            return client.items(self._source(*args, **kwargs))

        return method


class Methods:
    """What both clients can do; the operations have the documentation."""

    start_thread = Call(operations.threads.start_thread)
    threads = Items(operations.threads.threads)
    thread = Call(operations.threads.thread)
    close_thread = Call(operations.threads.close_thread)
    annotate_thread = Call(operations.threads.annotate_thread)
    note = Call(operations.threads.note)
    label = Call(operations.threads.label)
    judge = Call(operations.threads.judge)
    summaries = Call(operations.threads.summaries)
    workers = Call(operations.threads.workers)

    append = Call(operations.messages.append)
    append_items = Call(operations.messages.append_items)
    append_many = Call(operations.messages.append_many)
    messages = Items(operations.messages.messages)
    message = Call(operations.messages.message)
    follow = Items(operations.messages.follow)

    view = Call(operations.views.view)
    outline = Call(operations.views.outline)
    why = Call(operations.views.why)
    model_call = Call(operations.views.model_call)
    diff = Call(operations.views.diff)
    changes = Items(operations.views.changes)

    compare = Call(operations.comparison.compare)
    compare_runs = Call(operations.comparison.compare_runs)
    compare_sets = Call(operations.comparison.compare_sets)

    fork = Call(operations.forks.fork)
    forks = Call(operations.forks.forks)
    hazards = Call(operations.forks.hazards)

    begin_import = Call(operations.imports.begin_import)
    imports = Items(operations.imports.imports)
    get_import = Call(operations.imports.get_import)
    discard_import = Call(operations.imports.discard_import)
    get_import_file = Call(operations.imports.get_import_file)
    put_import_file = Call(operations.imports.put_import_file)
    add_to_import_file = Call(operations.imports.add_to_import_file)
    run_import = Call(operations.imports.run_import)
    import_findings = Call(operations.imports.import_findings)
    undo_import = Call(operations.imports.undo_import)
    redo_import = Call(operations.imports.redo_import)

    log = Items(operations.log.log)
    follow_log = Items(operations.log.follow_log)

    search = Items(operations.search.search)
    matches = Items(operations.search.matches)

    put_blob = Call(operations.blobs.put_blob)
    get_blob = Call(operations.blobs.get_blob)

    reports = Items(operations.reports.reports)
    report = Call(operations.reports.report)
    sql = Call(operations.reports.sql)
    tables = Items(operations.reports.tables)

    audit_thread = Call(operations.audit.audit_thread)
    chain = Call(operations.audit.chain)
    evidence = Call(operations.audit.evidence)
    proof = Call(operations.audit.proof)
    checkpoints = Items(operations.audit.checkpoints)
    latest_checkpoint = Call(operations.audit.latest_checkpoint)
    consistency = Call(operations.audit.consistency)

    redact_message = Call(operations.redaction.redact_message)
    redact_thread = Call(operations.redaction.redact_thread)
    redact_blob = Call(operations.redaction.redact_blob)

    subscribe = Call(operations.subscriptions.subscribe)
    subscriptions = Items(operations.subscriptions.subscriptions)
    subscription = Call(operations.subscriptions.subscription)
    unsubscribe = Call(operations.subscriptions.unsubscribe)
    pause_subscription = Call(operations.subscriptions.pause_subscription)
    resume_subscription = Call(operations.subscriptions.resume_subscription)
    pull = Call(operations.subscriptions.pull)
    acknowledge = Call(operations.subscriptions.acknowledge)
    refuse = Call(operations.subscriptions.refuse)
    parked = Items(operations.subscriptions.parked)
    retry_parked = Call(operations.subscriptions.retry_parked)
    discard_parked = Call(operations.subscriptions.discard_parked)

    own_key = Call(operations.service.own_key)
    keys = Items(operations.service.keys)
    create_key = Call(operations.service.create_key)
    revoke_key = Call(operations.service.revoke_key)
    accesses = Items(operations.service.accesses)
    projections = Call(operations.service.projections)
    projection = Call(operations.service.projection)
    rebuild_projection = Call(operations.service.rebuild_projection)
    pause_projection = Call(operations.service.pause_projection)
    resume_projection = Call(operations.service.resume_projection)
    rules = Items(operations.service.rules)
    set_rule = Call(operations.service.set_rule)
    remove_rule = Call(operations.service.remove_rule)
    rule_changes = Items(operations.service.rule_changes)
    filters = Items(operations.service.filters)
    save_filter = Call(operations.service.save_filter)
    remove_filter = Call(operations.service.remove_filter)
    health = Call(operations.service.health)
