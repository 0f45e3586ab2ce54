import { describe, expect, test } from "vitest";
import { sha256, toHex, utf8 } from "../hashes/bytes";
import { type ChainPage, GENESIS, verifyPage } from "./chain";
import { type ChainedEvent, coveredBytes, microseconds } from "../hashes/link";

const OWNER = { tenant: "acme", threadId: "t1" };

/** The event of the worked example in docs/reference/proof.md. */
const EXAMPLE: ChainedEvent = {
  version: 1,
  position: 12,
  type: "reply",
  messageId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  recordedAt: "2026-01-02T03:04:05.678901+00:00",
  body: btoa("{}"),
  bodySha256: toHex(await sha256(utf8("{}"))),
  metadata: null,
  chain: "7093718008ae973f8602d4505f1b97a71d34b2fa4174d8389e8007916c0a1b56",
};
const COVERED = `
31363a6167656e746c6f672d636861696e2d3133323a0000000000000000000000000000000000000000000000000000
000000000000343a61636d65323a7431313a31323a3132353a7265706c7932363a303141525a334e44454b5453563452
524646513639473546415631363a3137363733323330343536373839303133323a44136fa355b3678a1146ad16f7e864
9e94fb4fc21fe77e8310c060f61caaff8a33323ae3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b
7852b855`.replaceAll("\n", "");

async function link(before: string, event: ChainedEvent): Promise<ChainedEvent> {
  const metadata = event.metadataSha256;
  const hash =
    metadata === undefined
      ? await sha256(utf8(atob(event.metadata ?? "")))
      : Uint8Array.from(metadata.match(/../g) ?? [], (digits) => parseInt(digits, 16));
  const bytes = coveredBytes(before, OWNER, event, hash);
  return { ...event, chain: bytes === null ? "" : toHex(await sha256(bytes)) };
}

/** A thread of that many events, each linked to the one before. */
async function thread(
  count: number,
  changed: (event: ChainedEvent) => Partial<ChainedEvent> = () => ({}),
): Promise<ChainedEvent[]> {
  const events: ChainedEvent[] = [];
  for (let version = 1; version <= count; version++) {
    const body = `{"n":${version}}`;
    const plain = {
      ...EXAMPLE,
      version,
      position: version * 2,
      body: btoa(body),
      bodySha256: toHex(await sha256(utf8(body))),
    };
    const before = events.at(-1)?.chain ?? GENESIS.chain;
    events.push(await link(before, { ...plain, ...changed(plain) }));
  }
  return events;
}

function page(events: ChainedEvent[], part: Partial<ChainPage> = {}): ChainPage {
  const last = events.at(-1) ?? EXAMPLE;
  return {
    ...OWNER,
    head: { version: last.version, chain: last.chain },
    previous: { version: 0, chain: GENESIS.chain },
    items: events,
    next: null,
    ...part,
  };
}

async function findings(events: ChainedEvent[], part: Partial<ChainPage> = {}) {
  const verified = await verifyPage(GENESIS, page(events, part));
  return verified.findings.map(({ what, version }) => `${what} ${version}`);
}

test("the worked example of the documentation has its bytes and its link", async () => {
  const bytes = coveredBytes(GENESIS.chain, OWNER, EXAMPLE, await sha256(utf8("")));
  expect(bytes && toHex(bytes)).toBe(COVERED);
  expect(await findings([EXAMPLE])).toEqual([]);
});

test("what a redaction may leave is the twelfth part, longer with files", async () => {
  const leftSha256 = EXAMPLE.bodySha256.repeat(2);
  const chain = "97e9018a422de46b2b0fc20c252b59b4e96fcbe8288270493b541e3fe6a4378d"; // by hashlib
  expect(await findings([{ ...EXAMPLE, leftSha256, chain }])).toEqual([]);
  expect(await findings([{ ...EXAMPLE, chain }])).toEqual(["link-broken 1"]);
});

test("a time is read in microseconds, and only in one spelling", () => {
  expect(microseconds("2026-01-02T03:04:05.678901+00:00")).toBe(1767323045678901);
  expect(microseconds("2026-01-02T03:04:05.678901Z")).toBeNull();
  expect(microseconds(null)).toBeNull();
});

test("a whole thread is verified page by page", async () => {
  const events = await thread(5);
  const head = { version: 5, chain: events[4]?.chain ?? "" };
  const first = await verifyPage(GENESIS, page(events.slice(0, 3), { next: "3", head }));
  const previous = { version: 3, chain: events[2]?.chain ?? "" };
  const all = await verifyPage(first, page(events.slice(3), { previous, head }));
  expect(all).toMatchObject({ version: 5, broken: 0, chain: events[4]?.chain });
});

describe("a change is found", () => {
  const change = async (version: number, part: Partial<ChainedEvent>): Promise<ChainedEvent[]> =>
    (await thread(4)).map((event) => (event.version === version ? { ...event, ...part } : event));

  test.each([
    ["a body", { body: btoa('{"n":9}') }, ["body-altered 2"]],
    ["a body that is no base64", { body: "*" }, ["body-altered 2"]],
    ["a body that is lost", { body: null }, ["content-missing 2"]],
    ["a type", { type: "input" }, ["link-broken 2"]],
    ["a message id", { messageId: "01ARZ3NDEKTSV4RRFFQ69G5FAW" }, ["link-broken 2"]],
    ["metadata", { metadata: btoa("{}") }, ["link-broken 2"]],
    ["a time", { recordedAt: "2026-01-02T03:04:05.678902+00:00" }, ["link-broken 2"]],
    ["a time that is none", { recordedAt: null }, ["link-broken 2"]],
    ["a link", { chain: "1".repeat(64) }, ["link-broken 2", "link-broken 3"]],
    ["a link that is no hash", { chain: "none" }, ["link-broken 2", "link-broken 3"]],
    ["a position", { position: 1 }, ["position-not-growing 2", "link-broken 2"]],
    ["a mark of redaction", { body: null, redacted: 3 }, ["redaction-unfounded 2"]],
    ["a mark of a later one", { body: null, redacted: 9 }, ["redaction-unfounded 2"]],
  ] as const)("%s", async (_name, part, expected) => {
    expect(await findings(await change(2, part))).toEqual(expected);
  });

  test("an event that is missing", async () => {
    const events = await thread(4);
    expect(await findings(events.toSpliced(1, 1))).toEqual(["version-missing 2"]);
  });

  test("events that are missing at the end", async () => {
    const events = await thread(4);
    const head = { version: 4, chain: events[3]?.chain ?? "" };
    expect(await findings(events.slice(0, 3), { head })).toEqual(["head-differs 3"]);
  });

  test("what was verified before", async () => {
    const events = await thread(4);
    const before = await verifyPage(GENESIS, page(events.slice(0, 2)));
    const previous = { version: 2, chain: "1".repeat(64) };
    const after = await verifyPage(before, page(events.slice(2), { previous }));
    expect(after.findings.map(({ what, version }) => [what, version])).toEqual([
      ["link-broken", 2],
    ]);
  });
});

test("a redacted event is counted, and its redaction is looked for", async () => {
  const fact = JSON.stringify({ type: "thread.redacted", messages: [EXAMPLE.messageId] });
  const metadataSha256 = toHex(await sha256(utf8('{"a":1}')));
  const bodySha256 = toHex(await sha256(utf8(fact)));
  const events = await thread(3, ({ version }) => {
    if (version === 2) return { body: null, redacted: 3, metadataSha256 };
    return version === 3 ? { type: "thread.redacted", body: btoa(fact), bodySha256 } : {};
  });
  const verified = await verifyPage(GENESIS, page(events));
  expect(verified).toMatchObject({ broken: 0, redacted: 1, findings: [] });
});
