import type { components } from "../../api/schema";
import { type Bytes, fromBase64, fromHex, sha256, toHex, utf8 } from "./bytes";

/** The link of an event; docs/reference/proof.md has the formula. */

export type ChainedEvent = components["schemas"]["ChainedEvent"];

const FORMAT = utf8("16:agentlog-chain-1");
const HASH_BEGINS = utf8("32:");
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
/** Bytes enough for what a link covers beside texts and numbers. */
const ROOM = 256;

/** Microseconds since 1970 in UTC; null where the text is no time to the microsecond. */
export function microseconds(time: string | null): number | null {
  if (time === null || !TIME.test(time)) return null;
  const milliseconds = Date.parse(`${time.slice(0, 19)}Z`);
  return Number.isNaN(milliseconds) ? null : milliseconds * 1000 + Number(time.slice(20, 26));
}

/** Who owns a chain: what each link covers besides its event. */
export interface ChainOwner {
  readonly tenant: string;
  readonly threadId: string;
}

/** The bytes that the link of an event covers; null where its time is none. */
export function coveredBytes(
  before: string,
  { tenant, threadId }: ChainOwner,
  event: ChainedEvent,
  metadataSha256: Bytes,
): Bytes | null {
  const time = microseconds(event.recordedAt);
  if (time === null) return null;
  const fields = [event.version, event.position, event.type, event.messageId, time];
  const parts = [tenant, threadId, ...fields].map((part) => utf8(String(part)));
  // digests of what redactions may leave: one, and one a file; none before 0.20.0
  const left = event.leftSha256 === undefined ? null : fromHex(event.leftSha256);
  const room = parts.reduce((sum, part) => sum + part.length, ROOM + (left?.length ?? 0));
  const bytes = new Uint8Array(room);
  let end = 0;
  const put = (part: Bytes): void => {
    bytes.set(part, end);
    end += part.length;
  };
  const putHash = (hash: Bytes): void => {
    put(HASH_BEGINS);
    put(hash);
  };
  put(FORMAT);
  putHash(fromHex(before));
  for (const part of parts) {
    put(utf8(`${part.length}:`));
    put(part);
  }
  putHash(fromHex(event.bodySha256));
  putHash(metadataSha256);
  if (left !== null) {
    put(utf8(`${left.length}:`));
    put(left);
  }
  return bytes.subarray(0, end);
}

/** The computed link in hexadecimal; null where a value of the event cannot be hashed. */
export async function linkOf(
  before: string,
  owner: ChainOwner,
  event: ChainedEvent,
): Promise<string | null> {
  try {
    const metadata = await metadataSha256(event);
    const bytes = coveredBytes(before, owner, event, metadata);
    return bytes === null ? null : toHex(await sha256(bytes));
  } catch (error) {
    if (error instanceof RangeError) return null; // a malformed hash or base64
    throw error;
  }
}

let ofNothing: Promise<Bytes> | undefined;

function metadataSha256(event: ChainedEvent): Bytes | Promise<Bytes> {
  const { metadata, metadataSha256: erased } = event;
  if (event.redacted !== undefined && erased !== undefined) return fromHex(erased);
  return metadata === null ? (ofNothing ??= sha256(utf8(""))) : sha256(fromBase64(metadata));
}
