import type { components } from "../../api/schema";
import { type Bytes, fromBase64, sha256, toHex } from "../hashes/bytes";
import { type ChainedEvent, type ChainOwner, linkOf } from "../hashes/link";

export type ChainPage = components["schemas"]["Chain"];
/** docs/reference/proof.md says what each means. */
export type Finding = components["schemas"]["Finding"];

/**
 * How far a chain is verified and what was found. Plain data: it goes to the worker and back, and
 * the verification of a thread that has grown goes on from it.
 */
export interface Verified {
  readonly version: number;
  readonly position: number;
  /** Link at that version, in hexadecimal. */
  readonly chain: string;
  readonly redacted: number;
  /** The first thousand. */
  readonly findings: readonly Finding[];
  /** How many findings break the chain. */
  readonly broken: number;
  /** Redactions seen, by version, with the message ids that each names; null is all messages. */
  readonly redactions: Readonly<Record<number, readonly string[] | null>>;
  /** Redacted events whose redaction has yet to come. */
  readonly marks: readonly Mark[];
}

interface Mark {
  readonly version: number;
  readonly messageId: string;
  readonly by: number;
}

export const GENESIS: Verified = {
  version: 0,
  position: 0,
  chain: "0".repeat(64),
  redacted: 0,
  findings: [],
  broken: 0,
  redactions: {},
  marks: [],
};

const MOST_FINDINGS = 1000;

/** Verifies the events that follow what was verified, each link from the stored one before. */
export async function verifyEvents(
  before: Verified,
  owner: ChainOwner,
  events: readonly ChainedEvent[],
): Promise<Verified> {
  // all digests of a page at once: one by one, each would wait for the browser's threads
  const checks = await Promise.all(
    events.map(async (event, index) => {
      const previous = events[index - 1]?.chain ?? before.chain;
      const body = event.body === null ? null : decode(event.body);
      const [bodySha256, link] = await Promise.all([
        body === null ? null : sha256(body).then(toHex),
        linkOf(previous, owner, event),
      ]);
      return { body, bodySha256, link };
    }),
  );
  const findings: Finding[] = [];
  const redactions = { ...before.redactions };
  const marks = [...before.marks];
  let { version, position, chain, redacted } = before;
  events.forEach((event, index) => {
    const { body, bodySha256, link } = checks[index] ?? {};
    const missing = event.version - version - 1;
    if (missing > 0) {
      const gone = missing === 1 ? "1 event is" : `${missing} events are`;
      findings.push(finding("version-missing", version + 1, `${gone} not there`));
    }
    if (event.position <= position) {
      const detail = `position ${event.position} does not come after ${position}`;
      findings.push(finding("position-not-growing", event.version, detail));
    }
    if (event.redacted !== undefined) {
      redacted += 1;
      marks.push({ version: event.version, messageId: event.messageId, by: event.redacted });
    } else if (event.body === null) {
      const detail = "some of its content is not there, and no redaction names it";
      findings.push(finding("content-missing", event.version, detail));
    } else if (bodySha256 !== event.bodySha256) {
      const detail = "its body is not the one that its SHA-256 is of";
      findings.push(finding("body-altered", event.version, detail));
    }
    if (missing <= 0 && link !== event.chain) {
      findings.push(finding("link-broken", event.version, NOT_FOLLOWING));
    }
    if (event.type === "thread.redacted" && body) {
      const named = namedBy(body);
      if (named !== undefined) redactions[event.version] = named;
    }
    ({ version, position, chain } = event);
  });
  const left = marks.filter((mark) => {
    if (mark.by > version) return true;
    const named = redactions[mark.by];
    const isFounded = named === null || named?.includes(mark.messageId) === true;
    if (!isFounded || mark.by <= mark.version) {
      const detail = `it says that version ${mark.by} redacted it, which does not say so`;
      findings.push(finding("redaction-unfounded", mark.version, detail));
    }
    return false;
  });
  return {
    ...{ version, position, chain, redacted, redactions },
    marks: left,
    findings: [...before.findings, ...findings].slice(0, MOST_FINDINGS),
    broken: before.broken + findings.length,
  };
}

/** Verifies a page of `GET /v1/threads/{id}/chain`; the last one also against the head. */
export async function verifyPage(before: Verified, page: ChainPage): Promise<Verified> {
  const { previous, head } = page;
  let begun = before;
  if (previous?.version !== before.version || previous.chain !== before.chain) {
    const detail = "its link is another now than the one that was verified";
    begun = withFinding(before, finding("link-broken", before.version, detail));
  }
  const after = await verifyEvents(begun, page, page.items);
  if (page.next !== null) return after;
  if (after.version !== head.version || after.chain !== head.chain) {
    const detail = `the head is at version ${head.version} with another link than the last event`;
    return withFinding(after, finding("head-differs", after.version, detail));
  }
  return withUnmarked(after);
}

/** Adds a finding for each redacted event whose redaction never came. */
export function withUnmarked(at: Verified): Verified {
  return at.marks.reduce<Verified>(
    (all, { version, by }) => {
      const detail = `it says that version ${by} redacted it, which is not there`;
      return withFinding(all, finding("redaction-unfounded", version, detail));
    },
    { ...at, marks: [] },
  );
}

const NOT_FOLLOWING =
  "its link does not follow: its place, type, id, time, metadata or hash is another than was " +
  "chained, or the link before it is";

export function finding(what: Finding["what"], version: number | null, detail: string): Finding {
  return { what, breaks: true, version, detail };
}

function withFinding(at: Verified, one: Finding): Verified {
  const findings = [...at.findings, one].slice(0, MOST_FINDINGS);
  return { ...at, findings, broken: at.broken + 1 };
}

function decode(base64: string): Bytes | null {
  try {
    return fromBase64(base64);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** The message ids that a redaction names, null for all, undefined where it is no redaction. */
function namedBy(body: Bytes): readonly string[] | null | undefined {
  try {
    const said = JSON.parse(new TextDecoder().decode(body)) as {
      all?: unknown;
      messages?: unknown;
    };
    if (said.all === true) return null;
    return Array.isArray(said.messages) ? (said.messages as string[]) : undefined;
  } catch {
    return undefined;
  }
}
