"""A log verified, and what is said of it."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, TextColumn

from agentlog.api.cli.failures import print_failure
from agentlog.api.cli.proofs.held import Held
from agentlog.api.cli.terminal import printable
from agentlog.api.composition import Service
from agentlog.domain.errors import AgentlogError
from agentlog.domain.integrity.chain_audit import Finding, Verdict, verdict_of, worst
from agentlog.infrastructure.audit.findings import MOST_FINDINGS, Audit, check_all_tenants
from agentlog.infrastructure.audit.notes import Checkpoint
from agentlog.infrastructure.audit.threads.processes import AuditProcesses
from agentlog.infrastructure.schema_audit import audit_schema, not_covered
from agentlog.infrastructure.subscriptions.conditions import note_audit

_MOST_NAMES = 10
"""Most names of other tenants that are printed."""


@dataclass(frozen=True, slots=True)
class LogCheck:
    """What to check of a log: these threads, or all, or those that have grown since a checkpoint.

    `derived`: what is derived of them too.
    """

    threads: Sequence[str]
    processes: AuditProcesses
    since: Checkpoint | None = None
    derived: bool = False


def verify_log(service: Service, check: LogCheck, held: Held) -> Verdict:
    """Verify a log, and print the findings and the verdict.

    Subscriptions are told of what breaks the log, also where not all of it can be checked; then the
    verdict is broken, or the error that ended the check is raised.
    """
    broken: list[Finding] = []
    try:
        return _verify(service, check, held, broken)
    except AgentlogError as error:
        if not broken:
            raise
        print_failure(str(error))
        return "broken"
    finally:
        note_audit(service.database, broken, tenant=service.own.name)


def _verify(service: Service, check: LogCheck, held: Held, broken: list[Finding]) -> Verdict:
    """Verify a log as `verify_log` does; findings that break it are added to `broken`."""
    auditor, derived_auditor = service.own.proofs.auditor, service.own.derived
    threads, since = check.threads, check.since
    verdicts: list[Verdict] = []
    count, events = 0, 0

    def show(findings: Sequence[Finding], *, count: int = 0) -> None:
        room = MOST_FINDINGS - len(broken)
        broken.extend(islice((finding for finding in findings if finding.breaks), room))
        print_findings(findings, count=count)

    with closing(_audits(service, check, held)) as audits, _progress() as progress:
        task = progress.add_task("threads", total=len(threads) or None)
        for thread_id, audit in audits:
            show(audit.findings, count=audit.count)
            verdicts.append(audit.verdict)
            if thread_id is None:
                continue
            differing = list(derived_auditor.thread(thread_id)) if check.derived else []
            show(differing)
            verdicts.append(verdict_of(differing))
            count, events = count + 1, events + audit.events
            progress.advance(task)
    if threads and held.checkpoint is not None:
        tree = auditor.tree(held.checkpoints, public_key=held.public_key)
        show(tree.findings, count=tree.count)
        verdicts.append(tree.verdict)
    if not threads:
        log = check_all_tenants(service.database, public_key=held.public_key)
        around = derived_auditor.around() if check.derived else ()
        findings = [*log.audit.findings, *around]
        show(findings)
        verdicts.append(verdict_of(findings))
        _print_others({name: n for name, n in log.events.items() if name != service.own.name})
    definitions = list(audit_schema(service.database, derived=check.derived))
    show(definitions)
    verdicts.append(verdict_of(definitions))
    unchecked = list(derived_auditor.unchecked(threads or None)) if check.derived else []
    show(unchecked)
    verdict = worst((*verdicts, verdict_of(unchecked)))
    for position in derived_auditor.left_out() if check.derived else ():
        print(  # noqa: T201 - the command's output
            f"not checked: words of events up to position {position}: AGENTLOG_SEARCH_DAYS left "
            "them out, and searches say so"
        )
    if since is not None:
        derived = ", snapshots and rows of read models" if check.derived else ""
        print(  # noqa: T201 - the command's output
            f"not checked: of the first {since.size} events, outside of the threads counted below, "
            f"anything but their links; heads and ledgers{derived} of the other threads"
        )
    if not threads:
        print(not_covered())  # noqa: T201 - the command's output
    _print_verdict(verdict, threads=count, events=events, since=since)
    return verdict


def in_words(verdict: Verdict) -> str:
    """Return a verdict as commands print it: in capitals where the check does not pass."""
    return verdict if verdict == "whole" else verdict.upper()


def print_findings(findings: Iterable[Finding], *, count: int = 0) -> None:
    """Print findings, one a line, and how many of `count` are left out."""
    shown = 0
    for finding in findings:
        where = "" if finding.thread_id is None else f"thread {finding.thread_id!r} "
        where += "" if finding.version is None else f"version {finding.version} "
        print(printable(f"{where}{finding.what}: {finding.detail}"))  # noqa: T201 - the command's output
        shown += 1
    if count > shown:
        print(f"… and {count - shown} more")  # noqa: T201 - the command's output


def _audits(
    service: Service, check: LogCheck, held: Held
) -> Generator[tuple[str | None, Audit], None, None]:
    auditor = service.own.proofs.auditor
    if check.threads:
        yield from ((thread_id, auditor.thread(thread_id)) for thread_id in check.threads)
    else:
        yield from auditor.log(
            held.checkpoints,
            public_key=held.public_key,
            since=check.since,
            processes=check.processes,
        )


def _print_verdict(
    verdict: Verdict, *, threads: int, events: int, since: Checkpoint | None
) -> None:
    threads_word = "thread" if threads == 1 else "threads"
    words = in_words(verdict)
    if since is not None:
        words = f"{words} since size {since.size}"
    print(f"{words}: {threads} {threads_word}, {events} events")  # noqa: T201 - the command's output


def _print_others(events: Mapping[str, int]) -> None:
    """Say which tenants' events were not checked."""
    if events:
        names = ", ".join(map(repr, islice(events, _MOST_NAMES)))
        names += ", …" if len(events) > _MOST_NAMES else ""
        print(  # noqa: T201 - the command's output
            printable(
                f"not checked: {sum(events.values())} events of other tenants ({names}): set "
                "AGENTLOG_TENANT to each"
            )
        )


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), MofNCompleteColumn())
    return Progress(*columns, console=Console(stderr=True))
