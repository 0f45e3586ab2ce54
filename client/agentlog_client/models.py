"""What the service answers and takes; made by client/generate_models.py, not by hand."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from agentlog_client.shape import Shape


class Access(Shape):
    """A recorded access; `keyId` is the user where a proxy named one."""

    number: int
    at: datetime
    key_id: str | None
    method: str
    route: str
    thread_id: str | None
    status: int
    request_id: str | None


class Acknowledged(Shape):
    """Ids of deliveries that are done."""

    acknowledged: list[int]


class Anomaly(Shape):
    """A rule that a recorded message breaks."""

    message_id: str
    rule: str
    place: str
    reason: str


class AnswerColumn(Shape):
    """A column of an answer; the type has PostgreSQL's name."""

    name: str
    type: str


class Receipt(Shape):
    """The place of an appended message."""

    id: str
    version: int
    position: int
    replayed: bool


class Aside(Shape):
    """What a reader kept without knowing it."""

    place: str
    reason: str


class Appended(Shape):
    """The outcome of an append; `aside` stands where a reader of another format kept anything."""

    thread_id: str
    version: int
    position: int
    messages: list[Receipt]
    anomalies: list[Anomaly]
    aside: list[Aside] | None = None


class Finding(Shape):
    """What is not as it was written."""

    what: Literal[
        "content-redacted",
        "content-missing",
        "redaction-unfounded",
        "redaction-undone",
        "redaction-unfinished",
        "erasure-differs",
        "body-altered",
        "link-broken",
        "version-missing",
        "position-not-growing",
        "position-missing",
        "move-differs",
        "not-appendable",
        "rows-unaccounted",
        "fork-differs",
        "head-differs",
        "head-missing",
        "ledger-differs",
        "tree-differs",
        "tile-differs",
        "checkpoint-differs",
        "signature-invalid",
        "other-key",
        "other-checkpoint",
        "not-included",
        "incomplete",
        "derived-differs",
        "derived-unchecked",
        "definition-differs",
        "definition-unchecked",
    ]
    breaks: bool
    version: int | None
    detail: str


class Audit(Shape):
    """What is not as it was written, the first thousand of it.

    A content that was erased is a finding that breaks nothing. `whole` says whether the `verdict`
    is that; a thread of which a redaction is not carried out yet is neither whole nor broken.
    """

    thread_id: str
    verdict: Literal["whole", "not all checked", "not finished", "broken"]
    whole: bool
    events: int
    finding_count: int
    findings: list[Finding]


class Blob(Shape):
    """A file that is kept."""

    sha256: str
    bytes: int


class Called(Shape):
    """Calls of one tool with the same arguments; `failed`, `told` and `open` count those of them.

    `hint` is the beginning of the first plain argument, where the items have one. The first of
    them is number `attempt` of `attempts` at the same; both are null where nothing was tried again.
    """

    name: str
    digest: str | None
    hint: str | None = None
    times: int | None = None
    failed: int | None = None
    told: int | None = None
    open: int | None = None
    attempt: int | None = None
    attempts: int | None = None


class Caller(Shape):
    """What the caller may do. `keyRequired`: whether requests without a key are refused.

    `user` is the person whom a trusted proxy names.
    """

    anonymous: bool
    key_required: bool
    key_id: str | None
    name: str | None
    user: str | None
    tenant: str
    scopes: list[Literal["read", "append", "redact", "admin", "metrics"]]
    expires_at: datetime | None


class CatalogueColumn(Shape):
    """A column of a table that analysts may read."""

    name: str
    type: str
    comment: str | None


class CatalogueTable(Shape):
    """A table that analysts may read: a view of their tenant's rows."""

    name: str
    comment: str | None
    columns: list[CatalogueColumn]


class ChainLink(Shape):
    """A version and its link in hexadecimal; 32 zero bytes at version 0, before the first event."""

    version: int
    chain: str


class ChainedEvent(Shape):
    """An event with all that its link covers, except tenant, thread and the link before.

    `body` and `metadata` are base64 of the exact bytes, null if erased or absent; `bodySha256` and
    `chain`, the link, are hexadecimal. `redacted` is the version of the redaction that erased it;
    only then `metadataSha256` is there. `leftSha256` has digests of what a redaction may leave, in
    hexadecimal; events of versions before 0.20.0 have none.
    """

    version: int
    position: int
    type: str
    message_id: str
    recorded_at: str | None
    body: str | None
    body_sha256: str
    metadata: str | None
    chain: str
    redacted: int | None = None
    metadata_sha256: str | None = None
    left_sha256: str | None = None


class Chain(Shape):
    """A page of a thread's events as they were chained: all that their links are computed from.

    The chain is whole if it leads from `previous` by each item to `head`. `previous` is null where
    the log has no event of that version.
    """

    tenant: str
    thread_id: str
    head: ChainLink
    previous: ChainLink | None
    items: list[ChainedEvent]
    next: str | None


class Edit(Shape):
    """A part of a text that differs: where it begins in each, and both parts."""

    a: int
    b: int
    removed: str
    added: str


class Change(Shape):
    """Change."""

    op: str
    path: str
    from_: str | None = Field(default=None, alias="from")
    value: Any = None
    edits: list[Edit] | None = None


class Checkpoint(Shape):
    """A signed note (c2sp.org/tlog-checkpoint) over the first `size` events.

    The note is authoritative, the other fields repeat it for reading.
    """

    size: int
    position: int
    root: str
    note: str
    public_key: str
    made_at: datetime


class ComparedItem(Shape):
    """An item with its glimpse; `cut` where its texts are cut, or it is null for its size."""

    place: str
    type: str
    tools: list[str]
    hint: str
    item: Any
    cut: bool


class Divergence(Shape):
    """The places of the first items that differ, null for a side that had ended."""

    equal: int
    a: str | None
    b: str | None


class Counts(Shape):
    """How many items are equal, changed, or only in one side; a pair counts once."""

    equal: int
    changed: int
    only_a: int
    only_b: int


class Folded(Shape):
    """Folded."""

    from_: str = Field(alias="from")
    to: str


class ComparisonRow(Shape):
    """An item of a side or of both, or a folded run of `count` equal items.

    `changes` are of what the item says, null where that is too large.
    """

    op: Literal["equal", "changed", "only_a", "only_b"]
    count: int
    a: ComparedItem | Folded | None = None
    b: ComparedItem | Folded | None = None
    changes: list[Change] | None = None


class Comparison(Shape):
    """Two sides, by number: where they first differ, and a page of rows."""

    a: int
    b: int
    divergence: Divergence | None
    counts: Counts
    items: list[ComparisonRow]
    next: str | None


class Side(Shape):
    """A thread as it was compared; `count` is that of its items."""

    thread_id: str
    version: int
    position: int | None
    count: int


class Glimpse(Shape):
    """An item in one line: its place, its kind, and the first words of its content."""

    place: str
    type: str
    tools: list[str]
    hint: str


class SideBranch(Shape):
    """Sides, by number, and what they did at a parting: null where they had ended."""

    sides: list[int]
    did: Glimpse | None


class SideParting(Shape):
    """Where all sides first part, after `equal` equal items."""

    equal: int
    branches: list[SideBranch]


class Comparisons(Shape):
    """The first side compared with each other one, as of a position of the log."""

    view: str
    as_of: int
    sides: list[Side]
    divergence: SideParting | None
    comparisons: list[Comparison]


class Consistency(Shape):
    """The proof that the log of one checkpoint begins with that of another."""

    from_: Checkpoint = Field(alias="from")
    to: Checkpoint
    path: list[str]


class Counted(Shape):
    """How many deliveries it concerned."""

    deliveries: int


class Redacted(Shape):
    """The version that erased a content."""

    version: int


class Missing(Shape):
    """Contents that the log has lost."""

    name: str
    detail: str
    missing: list[str]


class Event(Shape):
    """A recorded message, or a fact of the thread (started, closed, annotated, redacted).

    `bytes` is the size of the whole message as JSON. Of one whose content was erased, `redacted`
    says by which version. Where the log has lost a content, `error` names it, and a text stands in
    its place. Of one that a fork copied, `originVersion` is its version in the
    origin. `cut`: not all of message and metadata is shown.
    """

    thread_id: str | None = None
    version: int
    position: int
    recorded_at: datetime
    type: str
    kind: Literal["message", "fact"]
    message: Any
    metadata: dict[str, Any]
    bytes: int
    origin_version: int | None = None
    cut: Literal[True] | None = True
    redacted: Redacted | None = None
    error: Missing | None = None


class Delivery(Shape):
    """An event to deliver; `type` is its own, or the condition that it meets.

    `attempt` counts from 1. What is no event of the log has a `notice` in place of one.
    """

    id: int
    position: int
    type: str
    thread_id: str | None
    attempt: int
    event: Event | None
    notice: dict[str, Any] | None


class DiscardedImport(Shape):
    """An import whose files and report are removed."""

    id: str


class Excerpt(Shape):
    """A piece of a text of the message, and where in it the search text stands, in characters.

    What a JSONPath selects has no ranges.
    """

    place: str
    text: str
    ranges: list[list[Any]]


class Redaction(Shape):
    """The place of the fact that says what was erased.

    `messages` is null for all of the thread, `events` counts whose content went; with it went
    `exchanges` of recorded runs that held it, and `others` that say the same: copies in forks too.
    """

    thread_id: str
    version: int
    position: int
    messages: list[str] | None
    events: int
    exchanges: int
    others: int
    replayed: bool


class FileRedaction(Shape):
    """Which file was erased, and from which messages."""

    sha256: str
    threads: list[Redaction]
    replayed: bool


class ForkEdit(Shape):
    """A change to the copied messages; `sha256` is of the message put in, in canonical JSON."""

    kind: Literal["drop", "replace", "insert"]
    version: int
    sha256: str | None = None


class Origin(Shape):
    """The thread that a fork was copied from, up to a version whose link was this."""

    thread: str
    version: int
    link: str
    edits: list[ForkEdit]


class Fork(Shape):
    """A fork, and where it stands."""

    thread_id: str
    version: int
    position: int
    forked_from: Origin
    replayed: bool


class Group(Shape):
    """Events that belong together: a span, turn, step or run as its producer recorded it.

    They are those from `version` to `endVersion`; `depth` counts the groups around it. It is `open`
    where its end is not on record. `failures`, `told` and `suspected` count what failed on record,
    what only its own words tell of, and what only a rule suspects. The cost of
    `computedCalls` of its model calls is computed.
    """

    name: str
    version: int
    end_version: int
    depth: int
    open: bool
    events: int
    failures: int
    told: int
    suspected: int
    elapsed_ms: int | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    computed_calls: int


class ToolCalls(Shape):
    """A tool, and how often it was called."""

    name: str
    calls: int


class Hazards(Shape):
    """Recorded calls that a replay may make again, of tools that are not known to only read."""

    items: list[ToolCalls]


class Health(Shape):
    """Whether the service answers."""

    status: str


class Hit(Shape):
    """A message that matches; `tools` are those that it names."""

    thread_id: str
    version: int
    message_id: str
    position: int
    recorded_at: datetime | None
    type: str
    role: str | None
    tools: list[str]
    excerpts: list[Excerpt]


class Hits(Shape):
    """Messages that match, phrases first, then newest first, of the log up to position `asOf`.

    Only messages recorded after `searchedAfter` are searched; null where all are.

    With `next` there may be more: a page may have few items or none, where a search took long, and
    `next` is how far it came.
    """

    items: list[Hit]
    as_of: int
    searched_after: datetime | None
    next: str | None


class Import(Shape):
    """An import on record; `grown` are threads that were there before, and that it appended to."""

    id: str
    at: datetime
    ended_at: datetime | None
    threads: int
    events: int
    grown: list[str]
    paths: list[str]


class RunProgress(Shape):
    """How far a run has come, in bytes of its files."""

    bytes: int
    total: int


class ReportFormat(Shape):
    """A format, and how many files were of it."""

    name: str
    title: str
    unit: str
    files: int


class ReportFinding(Shape):
    """A finding: its kind, its place, and what there is to say."""

    kind: Literal["aside", "anomaly", "masked", "mended", "refused", "passed over", "rewritten"]
    place: str
    reason: str


class RunReport(Shape):
    """The report of a run.

    `failure` says what ended it, null where it came to its end. `threads` counts threads, of which
    `threadIds` has the first 1,000; `appended` and `replayed` count events, `hidden` those of the
    threads that are hidden. `kept` counts items kept whole, by type, `counts` findings, by kind, of
    which `findings` has the first 1,000. `text` is the report as commands print it.
    """

    run: int
    dry_run: bool
    failure: str | None
    threads: int
    thread_ids: list[str]
    appended: int
    replayed: int
    hidden: int
    formats: list[ReportFormat]
    kept: dict[str, int]
    counts: dict[str, int]
    findings: list[ReportFinding]
    text: str


class ImportUpload(Shape):
    """An import that comes in.

    `run` is the number of the run that waits or runs, else of the latest. `report` is that of the
    latest run that has ended. `suffixes` are how names in folders end that are read.
    """

    id: str
    paths: list[str]
    state: Literal["open", "waiting", "running"]
    run: int
    progress: RunProgress | None
    report: RunReport | None
    suffixes: list[str]


class Inclusion(Shape):
    """The proof that a message is in a checkpoint."""

    leaf_index: int
    leaf_hash: str
    path: list[str]
    checkpoint: Checkpoint


class Judgement(Shape):
    """What a thread was judged to be by a criterion, if one was named."""

    criterion: str | None
    verdict: str | None
    score: float | None


class Key(Shape):
    """What is on record of a key. `createdBy` and `revokedBy` are ids of keys, or users."""

    id: str
    tenant: str
    name: str
    scopes: list[Literal["read", "append", "redact", "admin", "metrics"]]
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None


class LastText(Shape):
    """What was said last: a reply, or where there is none what the run ended with."""

    version: int
    text: str


class Lease(Shape):
    """Deliveries that are yours until a time; there is no `lease` where there are none."""

    lease: str | None
    until: datetime | None
    items: list[Delivery]


class MatrixCell(Shape):
    """A step of a run: its column, its version, and by number which of the column's ways it is.

    `word` says what is known of a failure there: failed, told or suspected; null for none.
    """

    column: int
    version: int
    variant: int
    word: Literal["failed", "told", "suspected"] | None


class MatrixVariant(Shape):
    """Runs that say the same in a column, and what."""

    runs: int
    failed: int
    succeeded: int
    unknown: int
    did: Glimpse


class Tally(Shape):
    """How many runs there are, and how many of each verdict."""

    runs: int
    failed: int
    succeeded: int
    unknown: int


class MatrixColumn(Shape):
    """Steps of one kind: the ways of most runs, of `variantCount`, and how many have none here.

    `separation` says how far the failed and the succeeded part here, from 0 to 1: the greatest
    difference of their shares in one way. It is null where there are not both.
    """

    type: str
    tools: list[str]
    variants: list[MatrixVariant]
    variant_count: int
    absent: Tally
    separation: float | None


class MatrixRow(Shape):
    """A run; `steps` is how many it has, of which the first 300 are aligned in `cells`."""

    thread_id: str
    version: int
    end: str
    verdict: Literal["succeeded", "failed", "unknown"]
    steps: int
    cells: list[MatrixCell]


class ModelAnswer(Shape):
    """What came back: the versions of its messages, and figures; null where not on record."""

    versions: list[int]
    model: str | None
    finish_reason: str | None
    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    latency_ms: float | None


class RequestPart(Shape):
    """A part of a request: the places of its messages, and its characters as JSON.

    The part `system` has the prompt too. `tokens` is the part's share, by characters, of the input
    tokens that were reported; null where none were.
    """

    part: Literal["tools", "system", "user", "assistant", "tool", "other"]
    messages: list[int]
    characters: int
    tokens: int | None


class RequestChange(Shape):
    """The first place where a part of a request differs from the one before it.

    `place` is an index among tools or messages, or the name of a parameter.
    """

    part: Literal["model", "tools", "prompt", "messages", "parameters"]
    place: int | str | None
    before: Any
    after: Any


class PreviousRequest(Shape):
    """The request before: where its answer begins, how many messages it has, how many come again.

    Without `changes` this request goes on from it, and its cache holds as far as it goes.
    """

    answered_at: int
    messages: int
    shared_messages: int
    changes: list[RequestChange]


class ModelCall(Shape):
    """A call of a model: what was sent, what came back, and what the request before it shares.

    `source` says whether the request is as it was sent, in the shape of its `api`, or built from
    the messages as a request of `chat`; then `missing` names what is not on record. `after` is the
    version of the last event before the answer. `contextWindow` is in tokens, by the list of
    prices. `charactersPerToken` are those of the request, without bytes of files, to an input token
    that was reported; outside 2 to 6 the call `isDoubtful`: it cannot be what the provider counted.
    """

    thread_id: str
    source: Literal["recorded", "reconstructed"]
    missing: list[str]
    after: int
    api: Literal["chat", "responses", "messages", "gemini"]
    model: str | None
    context_window: int | None
    characters_per_token: float | None
    is_doubtful: bool
    prompt: Any
    tools: Any
    parameters: dict[str, Any]
    messages: list[Any]
    parts: list[RequestPart]
    answer: ModelAnswer | None
    previous: PreviousRequest | None


class NewKey(Shape):
    """`key` is the key itself: it is shown this once."""

    id: str
    tenant: str
    name: str
    scopes: list[Literal["read", "append", "redact", "admin", "metrics"]]
    created_at: datetime
    created_by: str | None
    expires_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None
    key: str


class Webhook(Shape):
    """Where deliveries are posted to; `content`: with the message itself."""

    url: str
    content: bool


class NewSubscription(Shape):
    """`secret` signs what is posted to the webhook, null without one: it is shown this once."""

    name: str
    state: Literal["active", "paused"]
    reason: str | None
    filter: str
    max_attempts: int
    webhook: Webhook | None
    position: int
    pending: int
    parked: int
    lag: int
    failing_since: datetime | None
    created_at: datetime
    created_by: str | None
    secret: str | None


class Step(Shape):
    """A line of an outline: an input, a model response with its calls, or what is beside them.

    `step` is counted as by the view agent-state, `version` is where it begins. `afterMs` is from
    the first message of the thread. `threadId` is that of a worker. A line stands for `times` equal
    steps. `costUsd` is reported or computed: for `computedCalls` of its model calls; the cost of
    `unpricedCalls` is not known. `others` counts, by type, the messages up to the next line that
    have none.
    """

    step: int
    version: int
    end_version: int | None
    kind: str
    depth: int
    name: str | None
    thread_id: str | None
    started_at: str | None
    after_ms: int | None
    elapsed_ms: int | None
    calls: list[Called]
    replied: bool
    times: int
    open: bool
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int
    outcome: str | None
    suspected: list[str]
    others: dict[str, int]


class Outline(Shape):
    """The steps of a thread, and the groups of its events: no two of them cross.

    `prices` names the list that costs were computed by.
    """

    thread_id: str
    version: int
    position: int | None
    prices: str | None
    steps: list[Step]
    groups: list[Group]


class PageAccess(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Access]
    next: str | None


class PageCatalogueTable(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[CatalogueTable]
    next: str | None


class PageCheckpoint(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Checkpoint]
    next: str | None


class PageEvent(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Event]
    next: str | None


class PageImport(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Import]
    next: str | None


class PageKey(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Key]
    next: str | None


class Parked(Shape):
    """A delivery that failed as often as it may, and what it failed of last."""

    id: int
    position: int
    type: str
    thread_id: str | None
    attempts: int
    error: str | None
    parked_at: datetime


class PageParked(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Parked]
    next: str | None


class Projection(Shape):
    """A build of a read model."""

    name: str
    build: int
    version: int
    state: Literal["building", "live"]
    paused: bool
    position: int
    log_position: int
    lag: int
    stopped_at: int | None
    error: str | None
    started_at: datetime
    live_at: datetime | None


class PageProjection(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Projection]
    next: str | None


class ReportColumn(Shape):
    """A column of an answer; `unit` is None for names, `share` for values from 0 to 1.

    `computed` is the column that counts what of a figure is computed: if it is more than 0, the
    figure is shown with a `~`.
    """

    name: str
    unit: str | None
    comment: str
    computed: str | None = None


class ReportTerms(Shape):
    """A report: what it says, by what, and narrowed by what."""

    name: str
    title: str
    comment: str
    projection: str | None
    by: list[str]
    breakdowns: list[str]
    filters: list[str]
    clocks: list[str]
    columns: list[ReportColumn]


class PageReportTerms(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[ReportTerms]
    next: str | None


class Rule(Shape):
    """A rule as it was set; `number` counts its changes. `value` is null: as by default."""

    name: str
    value: str | None
    number: int
    set_at: datetime
    set_by: str | None


class PageRule(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Rule]
    next: str | None


class SavedFilter(Shape):
    """A filter with a name; `place` is where it is asked."""

    name: str
    place: Literal["list", "thread"]
    filter: str
    number: int
    set_at: datetime
    set_by: str | None


class PageSavedFilter(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[SavedFilter]
    next: str | None


class Subscription(Shape):
    """A subscription and how far it is; `pending` and `parked` count deliveries.

    Every event up to `position` was taken in, and the log is `lag` positions further. `reason` is
    why it is paused, if not at a request. `failingSince`: the webhook's first failure since its
    last success.
    """

    name: str
    state: Literal["active", "paused"]
    reason: str | None
    filter: str
    max_attempts: int
    webhook: Webhook | None
    position: int
    pending: int
    parked: int
    lag: int
    failing_since: datetime | None
    created_at: datetime
    created_by: str | None


class PageSubscription(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Subscription]
    next: str | None


class Thread(Shape):
    """Where a thread stands; `updatedAt` is of its last activity, which remarks are not."""

    thread_id: str
    version: int
    position: int
    status: Literal["open", "exited", "closed"]
    policy: Literal["strict", "record"]
    goal: str | None
    parent: str | None
    limits: dict[str, Any] | None
    metadata: dict[str, Any]
    forked_from: Origin | None
    labels: list[str]
    judgements: list[Judgement]
    anomalies: int
    started_at: datetime
    updated_at: datetime


class PageThread(Shape):
    """A page of a list; `next` is the cursor of the page after it, if there is one."""

    items: list[Thread]
    next: str | None


class QueryAnswer(Shape):
    r"""Rows in the order of the columns.

    Numbers keep every digit (NaN and infinities are strings), times are RFC 3339, bytes are
    hexadecimal after `\x`. `truncated`: there are more rows. `asOf`: for each table the position
    in the log up to which it is filled.
    """

    columns: list[AnswerColumn]
    rows: list[list[Any]]
    row_count: int
    truncated: bool
    as_of: dict[str, int]


class Readiness(Shape):
    """What a service is by its database, and a standby's replay lag.

    `lagSeconds` is null where it is unknown, and for what is no standby.
    """

    status: str
    kind: Literal["writer", "standby", "read-only"]
    lag_seconds: float | None


class Refused(Shape):
    """Ids of deliveries that are due again, and of those that are parked now."""

    due: list[int]
    parked: list[int]


class ReplayOutcome(Shape):
    """What a replay changed in its fork, and what came of it; null is not known, or not yet.

    `unmet` counts the changes that the run never came to, `check` is what `--check` said.
    """

    changes: str | None
    live_calls: int | None
    unmet: int | None
    check: Literal["passed", "failed"] | None


class ThreadsOfRows(Shape):
    """A statement in parts: `begin`, conditions `where` of all rows, and its `end`.

    `by` has the SQL of each breakdown: of the threads of one row, it is the row's value.
    """

    begin: str
    where: list[str]
    by: dict[str, str]
    end: str


class ReportAnswer(Shape):
    """Rows by the names of the columns; what was not measured is null.

    `asOf`: the position in the log up to which it counts. `truncated`: there are more rows.
    `untimed`: how many of what it counts have no time by its clock, so no day, and are in no range.
    `threads`: the SQL for analysts that lists the threads of a row; null where there is none.
    """

    from_: str | None = Field(alias="from")
    to: str | None
    report: str
    by: list[str]
    as_of: int
    columns: list[ReportColumn]
    rows: list[dict[str, Any]]
    truncated: bool
    untimed: int
    threads: ThreadsOfRows | None


class Run(Shape):
    """A thread; `end` is the reason of its exit, or closed or open."""

    thread_id: str
    version: int
    end: str
    verdict: Literal["succeeded", "failed", "unknown"]


class RunBranch(Shape):
    """Runs that did the same at a parting; `did` is null where they had ended."""

    runs: int
    failed: int
    succeeded: int
    unknown: int
    threads: list[str]
    did: Glimpse | None


class RunCall(Shape):
    """A call: `arguments` as a text, those that differ from the attempt beside it where one is.

    It is number `attempt` of `attempts`; both are null where nothing was tried again.
    """

    version: int
    end_version: int | None
    name: str
    arguments: str | None
    outcome: str | None
    attempt: int | None
    attempts: int | None


class RunFailure(Shape):
    """What failed, is told or suspected: `version` is that of the result or error.

    `word` says which: `failed` (on record), `told` (its own words or fields say so) or `suspected`
    (by `rules`). `text` is its beginning, `kind` that of its item in view `timeline`. `call` is the
    call, where it is one.
    """

    version: int
    word: Literal["failed", "told", "suspected"]
    kind: str
    name: str | None
    text: str | None
    rules: list[str]
    call: RunCall | None


class RunLoop(Shape):
    """Three attempts or more at the same, from one version to another.

    `equal`: all had the same arguments. `hint` is the beginning of a plain one of the first.
    """

    name: str
    hint: str | None
    times: int
    version: int
    last_version: int
    equal: bool


class RunMatrix(Shape):
    """Runs, the failed first, and the columns of their alignment, the first of `columnCount`."""

    as_of: int
    rows: list[MatrixRow]
    columns: list[MatrixColumn]
    column_count: int
    cut: bool


class RunOutcome(Shape):
    """What a run came to.

    `basis` is what decides: a judgement of the run as a whole, the tenant's rule, the scores, or
    the exit. `judgedBy` is who judged it, where they named themselves. `scores` are those in its
    metadata. `end` is the reason of its exit, `closed` where it was closed without one, null while
    it is open. `version` says it.
    """

    verdict: Literal["succeeded", "failed", "unknown"]
    basis: Literal["judgement", "rule", "scores", "exit"]
    judged_by: str | None
    scores: dict[str, Any]
    end: str | None
    version: int | None


class RunParting(Shape):
    """Runs with `equal` equal items first, and the branches that they then take."""

    equal: int
    branches: list[RunBranch]


class RunSet(Shape):
    """The runs of one task; `partings` has the earliest of `partingCount`."""

    runs: int
    failed: int
    succeeded: int
    unknown: int
    value: Any
    threads: list[Run]
    partings: list[RunParting]
    parting_count: int


class RunSets(Shape):
    """Tasks by value; `lacking` counts threads without the key, `cut`: older ones are left out."""

    view: str
    as_of: int
    by: str
    lacking: int
    cut: bool
    items: list[RunSet]
    next: str | None


class RunTotal(Shape):
    """What a run took, as lists have it; null where nothing was measured or reported.

    `calls` are those that it asked for, `elapsedMs` is from its first message to its last, by the
    producer's clock.
    `costUsd` is reported or computed: for `computedCalls` of its model calls, by the list `prices`;
    the cost of `unpricedCalls` is not known. `statedCostUsd` is what the run itself states,
    `callsCostUsd` what its model calls cost together: `costUsd` is one of these.
    """

    calls: int
    elapsed_ms: int | None
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    stated_cost_usd: float | None
    calls_cost_usd: float | None
    computed_calls: int
    unpriced_calls: int
    prices: str | None


class SentFile(Shape):
    """How much of a file has come."""

    path: str
    bytes: int


class SuspicionMark(Shape):
    """A rule of suspicion that calls of a tool or a model meet: how many, the first and the last.

    `command` is the first word of a shell's command.
    """

    rule: str
    tool: str | None
    command: str | None
    model: str | None
    calls: int
    version: int
    last_version: int


class Taken(Shape):
    """What came of undo or redo: how many threads it hid or showed, and which keep additions."""

    threads: int
    grown: list[str]


class ThreadJudgement(Shape):
    """What someone judged a thread to be by a criterion, or as a whole; `by` is who, if named."""

    criterion: str | None
    verdict: str | None
    score: float | None
    by: str | None


class ThreadMatch(Shape):
    """A message that matches; its excerpts show the texts that the filter asks for."""

    version: int
    type: str
    excerpts: list[Excerpt]


class ThreadMatches(Shape):
    """Messages of a thread that match, in its order, as of its version `version`.

    With `next` there may be more: a page may have few items or none, where the thread is long.
    """

    thread_id: str
    version: int
    items: list[ThreadMatch]
    next: str | None


class ThreadSummary(Shape):
    """A thread, with counts and sums over its messages. A sum is null where none reports it.

    `version` and `position` are of its last event, `startedAt` and `updatedAt` by the log's clock,
    `firstSentAt`, `lastSentAt` and `durationMs` by the producer's.
    """

    thread_id: str
    goal: str | None
    parent: str | None
    status: Literal["open", "exited", "closed"]
    outcome: Literal["complete", "step_limit", "user_request", "error", "closed"] | None
    verdict: Literal["succeeded", "failed"] | None
    judged: Literal["succeeded", "failed"] | None
    judged_by: str | None
    score: float | None
    policy: Literal["strict", "record"]
    metadata: dict[str, Any]
    labels: list[str]
    judgements: list[ThreadJudgement]
    tools: list[str]
    version: int
    position: int
    messages: int
    inputs: int
    replies: int
    steps: int
    tool_calls: int
    tool_failures: int | None
    model_calls: int
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int
    duration_ms: float | None
    started_at: datetime
    updated_at: datetime
    first_sent_at: datetime | None
    last_sent_at: datetime | None
    approvals_asked: int
    approvals_pending: int
    workers: int
    runtime_errors: int
    anomalies: int
    failures: int
    told: int
    suspected: int
    loops: int
    marks: list[SuspicionMark]
    hidden: bool
    tone: Literal["good", "warn", "bad", "active", "neutral"]


class ThreadSummaries(Shape):
    """Rows from `offset` on, of `total` that match, as of the log's position `asOf`."""

    items: list[ThreadSummary]
    total: int
    offset: int
    as_of: int
    lag: int


class ThreadWork(Shape):
    """What a thread did, or it and all that work for it. A sum is null where none reports it."""

    threads: int
    failed: int
    tool_calls: int
    failures: int
    told: int
    suspected: int
    total_tokens: int | None
    cost_usd: float | None
    computed_calls: int
    unpriced_calls: int


class TreeNode(Shape):
    """A thread of a tree of forks; `depth` counts the forks above it.

    `replay` is null unless a replay made the fork.
    """

    thread_id: str
    depth: int
    version: int
    status: Literal["open", "exited", "closed"]
    goal: str | None
    forked_from: Origin | None
    replay: ReplayOutcome | None
    started_at: datetime
    updated_at: datetime


class Tree(Shape):
    """A tree of forks: each thread before its forks. `truncated`: there are more."""

    items: list[TreeNode]
    truncated: bool


class UploadedFile(Shape):
    """How much of a file has come; `sha256` is that of what has."""

    path: str
    bytes: int
    sha256: str


class ValueChange(Shape):
    """A message after which a path selects other values than before it.

    `count` is how many they are. `cut`: they are not shown whole; `values` is null where they are
    too large even then.
    """

    version: int
    position: int
    recorded_at: datetime
    values: list[Any] | None
    count: int
    cut: bool


class ValueChanges(Shape):
    """The changes of the values up to the version `examined`.

    With `next` there are later versions, and there may be more changes: a page may have few or
    none, as a request examines a bounded number of messages.
    """

    thread_id: str
    examined: int
    items: list[ValueChange]
    next: str | None


class Why(Shape):
    """Why a run went as it went.

    `failure` is the first on record, `doubt` the first that is told or suspected; `failures`,
    `told` and `suspected` count all, each by one word. `before` is the call before the failure,
    else before the doubt, or the last call where there is neither. `loops` are the longest of
    `loopCount`.
    """

    thread_id: str
    version: int
    position: int | None
    outcome: RunOutcome
    failure: RunFailure | None
    doubt: RunFailure | None
    failures: int
    told: int
    suspected: int
    before: RunCall | None
    loops: list[RunLoop]
    loop_count: int
    total: RunTotal
    last: LastText | None


class WorkerNode(Shape):
    """A thread of a tree of workers; `depth` counts those above it.

    Times are the producer's. `own` is its work, `whole` that of it and of all below it.
    """

    thread_id: str
    depth: int
    parent: str | None
    version: int
    status: Literal["open", "exited", "closed"]
    goal: str | None
    verdict: Literal["succeeded", "failed"] | None
    tone: Literal["good", "warn", "bad", "active", "neutral"]
    first_sent_at: datetime | None
    last_sent_at: datetime | None
    own: ThreadWork
    whole: ThreadWork


class WorkerTree(Shape):
    """A tree of workers: each thread before its workers. `truncated`: there are more."""

    items: list[WorkerNode]
    truncated: bool


class ApprovalRequestMessage(Shape):
    """A call that waits for a person."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["approval_request"] = "approval_request"
    call_id: str
    tool: str
    args: Any = None
    reason: str | None = None
    metadata: dict[str, Any] | None = None


class ApprovalResponseMessage(Shape):
    """What the person said."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["approval_response"] = "approval_response"
    call_id: str
    approved: bool
    reason: str | None = None
    metadata: dict[str, Any] | None = None


class CustomMessage(Shape):
    """A message of a type of the caller's own, named `vendor.name`."""

    id: str | None = None
    timestamp: int | None = None
    type: str
    payload: Any = None
    metadata: dict[str, Any] | None = None


class ExitMessage(Shape):
    """The agent stopped."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["exit"] = "exit"
    reason: Literal["complete", "step_limit", "user_request", "error"]
    message: str | None = None
    metadata: dict[str, Any] | None = None


class FileAttachment(Shape):
    """A file that came with an input; `data` is base64."""

    data: str | None = None
    filename: str | None = None
    mime_type: str | None = None
    sha256: str | None = None


class InputMessage(Shape):
    """What came in from outside: text, files, both, or nothing at all."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["input"] = "input"
    text: str | None = None
    files: list[FileAttachment] | None = None
    metadata: dict[str, Any] | None = None


class Limits(Shape):
    """How far the agent may go; what is not given is the kernel's default."""

    max_steps: int | None = None
    max_delegations: int | None = None
    max_rejections: int | None = None


class LlmRequestMessage(Shape):
    """The model was asked."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["llm_request"] = "llm_request"
    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    response_format: Any = None
    stream: bool | None = None
    metadata: dict[str, Any] | None = None


class TokenUsage(Shape):
    """Tokens of one model call; what was not reported is None, not 0.

    The input is all that the model read: what came from a cache (`cached_input_tokens`) and what
    was written to one (`cache_write_tokens`; of these, `cache_write_1h_tokens` to be kept for an
    hour) are of it. The output is all that it wrote: thoughts (`reasoning_tokens`) are of it.
    `total_tokens` is the source's own word. `web_searches` are those that a provider bills beside
    the tokens; `service_tier` is a tier with prices of its own, as `batch`, `flex`, `priority` or
    `fast`.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    total_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_write1h_tokens: int | None = Field(default=None, alias="cacheWrite1hTokens")
    input_audio_tokens: int | None = None
    reasoning_tokens: int | None = None
    output_audio_tokens: int | None = None
    web_searches: int | None = None
    service_tier: str | None = None


class LlmResponseMessage(Shape):
    """The model answered; `cost_usd` in US dollars, `latency_ms` in milliseconds."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["llm_response"] = "llm_response"
    model: str | None = None
    provider: str | None = None
    finish_reason: str | None = None
    usage: TokenUsage | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None
    metadata: dict[str, Any] | None = None


class LogMessage(Shape):
    """A line of a debug log."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["log"] = "log"
    text: str
    metadata: dict[str, Any] | None = None


class ProblemFlaw(Shape):
    """A place of what was sent, and why it was refused."""

    place: str
    reason: str


class Problem(Shape):
    """RFC 9457: what is wrong, where, and the way out."""

    type: str
    title: str
    status: int
    detail: str
    instance: str | None = None
    errors: list[ProblemFlaw] | None = None


class ReasoningMessage(Shape):
    """What the agent thought."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["reasoning"] = "reasoning"
    title: str
    summary: str
    metadata: dict[str, Any] | None = None


class ReplyMessage(Shape):
    """What the agent said to the user."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["reply"] = "reply"
    text: str
    metadata: dict[str, Any] | None = None


class RuntimeErrorMessage(Shape):
    """The runtime around the agent failed."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["runtime_error"] = "runtime_error"
    error: str
    metadata: dict[str, Any] | None = None


class ScratchpadMessage(Shape):
    """A note of the agent to itself."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["scratchpad"] = "scratchpad"
    text: str
    mode: Literal["append", "replace"]
    metadata: dict[str, Any] | None = None


class ShutdownMessage(Shape):
    """The agent is asked to stop."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["shutdown"] = "shutdown"
    reason: str | None = None
    metadata: dict[str, Any] | None = None


class SystemMessage(Shape):
    """A system prompt, or a word from the system."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["system"] = "system"
    text: str
    metadata: dict[str, Any] | None = None


class ThreadJudged(Shape):
    """Someone judged the thread, or the event of version `on`, by a criterion.

    It takes the place of the judgement before it by that criterion; with neither verdict nor score
    there is none any more.
    """

    id: str | None = None
    timestamp: int | None = None
    type: Literal["thread.judged"] = "thread.judged"
    criterion: str | None = None
    verdict: str | None = None
    score: float | None = None
    comment: str | None = None
    on: int | None = None
    metadata: dict[str, Any] | None = None


class ThreadLabelled(Shape):
    """Someone gave labels to the thread, or took some away."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["thread.labelled"] = "thread.labelled"
    add: list[str] | None = None
    remove: list[str] | None = None
    metadata: dict[str, Any] | None = None


class ThreadNoted(Shape):
    """Someone commented on the thread, or on the event of version `on`.

    `replaces` is the version of the note that this one changes; without a text it takes it back.
    """

    id: str | None = None
    timestamp: int | None = None
    type: Literal["thread.noted"] = "thread.noted"
    text: str | None = None
    on: int | None = None
    replaces: int | None = None
    metadata: dict[str, Any] | None = None


class TickMessage(Shape):
    """Time passed."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["tick"] = "tick"
    metadata: dict[str, Any] | None = None


class ToolCall(Shape):
    """A call that the agent asked for.

    `arguments_text` keeps the caller's raw argument string where it is not the canonical (compact)
    JSON of `args`: it may be anything a model wrote, valid JSON or not.
    """

    id: str
    name: str
    args: Any = None
    arguments_text: str | None = None


class ToolCallsMessage(Shape):
    """The calls of one model response."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["tool_calls"] = "tool_calls"
    calls: list[ToolCall]
    metadata: dict[str, Any] | None = None


class ToolError(Shape):
    """Why a tool failed: the JSON form of an `Error` object."""

    name: str | None = None
    message: str
    stack: str | None = None


class ToolResult(Shape):
    """What a tool gave back: `output` is any JSON, or a process container.

    A null `error` says that the tool did not fail; without the field nothing is said. JavaScript
    leaves out an `output` that is `undefined`.
    """

    call_id: str | None = None
    name: str | None = None
    output: Any = None
    error: str | ToolError | None = None


class ToolResultsMessage(Shape):
    """The results of one or more calls."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["tool_results"] = "tool_results"
    results: list[ToolResult]
    metadata: dict[str, Any] | None = None


class WorkerError(Shape):
    """Why a worker failed."""

    message: str
    code: str | None = None


class WorkerResultMessage(Shape):
    """What a worker came back with: `output` or `error`."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["worker_result"] = "worker_result"
    worker_id: str
    output: Any = None
    error: WorkerError | None = None
    metadata: dict[str, Any] | None = None


class WorkerSpawnedMessage(Shape):
    """A worker was sent off; `thread_id` is the worker's own thread."""

    id: str | None = None
    timestamp: int | None = None
    type: Literal["worker_spawned"] = "worker_spawned"
    worker_id: str
    objective: str
    context: str | None = None
    max_iterations: int | None = None
    can_delegate: bool | None = None
    allowed_tools: list[str] | None = None
    model: str | None = None
    thread_id: str | None = None
    metadata: dict[str, Any] | None = None


class StartBody(Shape):
    """The thread was started."""

    thread_id: str | None = None
    goal: str | None = None
    parent: str | None = None
    limits: Limits | None = None
    policy: Literal["strict", "record"] | None = None
    metadata: dict[str, Any] | None = None


class AckBody(Shape):
    """Which deliveries of a lease are done."""

    ids: list[int] | None = None
    lease: str


class AnnotateBody(Shape):
    """What is added to a thread's metadata."""

    metadata: dict[str, Any]


class CloseBody(Shape):
    """Why a thread is closed."""

    reason: str | None = None


class FilterBody(Shape):
    """A filter to save."""

    filter: str
    place: Literal["list", "thread"] | None = None


class ForkBody(Shape):
    """Where a thread is forked, the facts of the fork, and its edits."""

    at: str | None = None
    thread_id: str | None = None
    goal: str | None = None
    metadata: dict[str, Any] | None = None
    edits: list[dict[str, Any]] | None = None


class ImportBody(Shape):
    """What is to be imported, and how."""

    paths: list[str]
    format: str | None = None
    records: str | None = None
    messages: str | None = None
    thread_id: str | None = None
    goal: str | None = None
    metadata: dict[str, str] | None = None
    policy: Literal["strict", "record"] | None = None
    strict: bool | None = None
    mask: bool | None = None
    growing: bool | None = None


class KeyBody(Shape):
    """What a key is for, and what it allows."""

    name: str
    scopes: list[Literal["read", "append", "redact", "admin", "metrics"]]
    expires: Any = None


class NackBody(Shape):
    """Which deliveries of a lease failed, why, and when they are due again."""

    ids: list[int] | None = None
    lease: str
    error: str | None = None
    seconds: float | None = None
    park: bool | None = None


class ParkedBody(Shape):
    """Which deliveries."""

    ids: list[int] | None = None


class PullBody(Shape):
    """How many deliveries a consumer takes, for how long, and how long it waits for the first."""

    limit: int | None = None
    seconds: float | None = None
    wait: float | None = None


class Query(Shape):
    """A query in SQL, and what goes with it."""

    sql: str
    parameters: dict[str, Any] | list[Any] | None = None
    limit: int | None = None
    timeout_seconds: float | None = None


class RedactBody(Shape):
    """Why a content is erased."""

    reason: str


class RuleBody(Shape):
    """What a rule says."""

    value: str


class RunBody(Shape):
    """How an import is run."""

    dry_run: bool | None = None
    passed_over: dict[str, str] | None = None


class SubscriptionBody(Shape):
    """What a subscription is made of."""

    name: str
    filter: str | None = None
    from_: str | None = Field(default=None, alias="from")
    max_attempts: int | None = None
    webhook: dict[str, Any] | None = None


class StreamedEvent(Shape):
    """Each server-sent event, as the HTML standard has them; its data is JSON."""

    event: str | None = None
    id: str | None = None
    data: str | None = None
