import { api, dataOf } from "../../api/client";
import { count } from "../../parts/format";
import { fromBase64, fromHex, isSame, sha256, toHex } from "../hashes/bytes";
import { linkOf } from "../hashes/link";
import { isConsistent, isIncluded, leafHash } from "../hashes/merkle";
import { parseCheckpoint, parseKey, signatureOf, type VerifierKey } from "./note";
import { inclusionOf, type SignedCheckpoint } from "../queries";

/** One thing that was verified; `isGood` is null where the browser could not. */
export interface Step {
  readonly isGood: boolean | null;
  readonly text: string;
}

/** Whether a checkpoint is signed: by the reader's key, or by the one that the service names. */
export async function signatureStep(
  { note, publicKey }: SignedCheckpoint,
  held: VerifierKey | null,
): Promise<Step> {
  const key = held ?? (await parseKey(publicKey));
  const whose = held === null ? "the service's key" : "your key";
  if (key === null) return { isGood: false, text: "The service's key is no key" };
  if (parseCheckpoint(note)?.origin !== key.name) {
    return { isGood: false, text: `Not of the log of ${whose}` };
  }
  switch (await signatureOf(note, key)) {
    case "signed":
      return { isGood: true, text: `Signed by ${whose}` };
    case "changed":
      return { isGood: false, text: "Changed after it was signed" };
    case "unsigned":
      return { isGood: false, text: "Not signed" };
    case "other key":
      return { isGood: false, text: `Not signed by ${whose}` };
    case "unknown":
      return { isGood: null, text: "Signature not verified: this browser has no Ed25519" };
  }
}

/** Verifies that the log of the checkpoint of one size begins with that of another. */
export async function verifyConsistency(
  from: number,
  to: number,
  held: VerifierKey | null,
  signal: AbortSignal,
): Promise<Step[]> {
  const params = { query: { from, to } };
  const proof = dataOf(await api.GET("/v1/checkpoints/consistency", { params, signal }));
  const [first, second] = [parseCheckpoint(proof.from.note), parseCheckpoint(proof.to.note)];
  const isAsked = first?.size === from && second?.size === to;
  const isProved = isAsked && (await isConsistent(first, second, proof.path.map(fromBase64)));
  const [signed, signedLater] = await Promise.all([
    signatureStep(proof.from, held),
    signatureStep(proof.to, held),
  ]);
  return [
    { ...signed, text: `Checkpoint ${count(from)}: ${signed.text}` },
    { ...signedLater, text: `Checkpoint ${count(to)}: ${signedLater.text}` },
    {
      isGood: isProved,
      text: isProved
        ? `The log of ${count(to)} events begins with that of ${count(from)}`
        : `The proof does not lead from the root of ${count(from)} events to that of ${count(to)}`,
    },
  ];
}

/**
 * Verifies a message from its contents to the signed root of the latest checkpoint. Where no
 * checkpoint covers it, returns that as a sentence.
 */
export async function verifyInclusion(
  threadId: string,
  messageId: string,
  held: VerifierKey | null,
  signal: AbortSignal,
): Promise<Step[] | string> {
  const path = { thread_id: threadId, message_id: messageId };
  const { version, position } = dataOf(
    await api.GET("/v1/threads/{thread_id}/messages/{message_id}", { params: { path }, signal }),
  );
  const proof = await inclusionOf(threadId, { id: messageId, position }, signal);
  if (typeof proof === "string") return proof;
  const { leafIndex, path: nodes, checkpoint } = proof;
  const page = dataOf(
    await api.GET("/v1/threads/{thread_id}/chain", {
      params: { path: { thread_id: threadId }, query: { after: String(version - 1), limit: 1 } },
      signal,
    }),
  );
  const [event] = page.items;
  const signed = await signatureStep(checkpoint, held);
  if (event?.messageId !== messageId || page.previous === null) {
    return [{ isGood: false, text: `Version ${version} of the chain is another message` }, signed];
  }
  const link = await linkOf(page.previous.chain, page, event);
  const tree = parseCheckpoint(checkpoint.note);
  const isProved =
    link !== null &&
    tree !== null &&
    (await isIncluded({
      leaf: await leafHash(fromHex(link)),
      index: leafIndex,
      path: nodes.map(fromBase64),
      ...tree,
    }));
  const size = count(checkpoint.size);
  return [
    await contentStep(event),
    link === event.chain
      ? { isGood: true, text: `Its link is the one of version ${version} of the thread` }
      : { isGood: false, text: `Its link is not the one of version ${version} of the thread` },
    isProved
      ? { isGood: true, text: `The link is in the tree of the checkpoint of size ${size}` }
      : { isGood: false, text: `The proof does not lead to the checkpoint of size ${size}` },
    signed,
  ];
}

async function contentStep(event: {
  body: string | null;
  bodySha256: string;
  redacted?: number;
}): Promise<Step> {
  if (event.redacted !== undefined) {
    const text = `Its contents were redacted by version ${event.redacted}; their hash is chained`;
    return { isGood: true, text };
  }
  const isWhole =
    event.body !== null && isSame(await sha256(fromBase64(event.body)), fromHex(event.bodySha256));
  return isWhole
    ? { isGood: true, text: "Its contents have the SHA-256 that is chained" }
    : { isGood: false, text: "Its contents are not those that were chained" };
}

/** The first and last digits of a hash. */
export function short(base64: string): string {
  const digits = toHex(fromBase64(base64));
  return `${digits.slice(0, 12)}…${digits.slice(-4)}`;
}
