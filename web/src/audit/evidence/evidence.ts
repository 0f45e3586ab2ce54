import { fromBase64, fromHex } from "../hashes/bytes";
import { type Finding, finding, GENESIS, verifyEvents, withUnmarked } from "../chain/chain";
import type { ChainedEvent } from "../hashes/link";
import { isIncluded, leafHash } from "../hashes/merkle";
import { parseCheckpoint, parseKey, signatureOf, type VerifierKey } from "../checkpoints/note";

/** A file of `agentlog evidence`, verified without the service. */

export interface Bundle {
  readonly format: string;
  readonly tenant: string;
  readonly threadId: string;
  readonly version: number;
  readonly inclusion: {
    readonly leafIndex: number;
    readonly treeSize: number;
    readonly path: readonly string[];
  };
  readonly checkpoint: string;
  readonly publicKey: string;
  readonly events: readonly ChainedEvent[];
}

export interface Verdict {
  readonly threadId: string;
  readonly tenant: string;
  readonly version: number;
  readonly size: number;
  /** The key that it was verified by, as text. */
  readonly publicKey: string;
  readonly redacted: number;
  readonly findings: readonly Finding[];
  /** Whether the browser could verify the signature. */
  readonly isSignatureKnown: boolean;
}

const FORMAT = "agentlog-evidence-1";

/** Verifies a bundle; `held` is the reader's own key. Raises an `Error` where it is no bundle. */
export async function verifyBundle(text: string, held: VerifierKey | null): Promise<Verdict> {
  const bundle = parseBundle(text);
  const enclosed = await parseKey(bundle.publicKey);
  const checkpoint = parseCheckpoint(bundle.checkpoint);
  if (enclosed === null) throw notEvidence("its public key is none");
  if (checkpoint === null) throw notEvidence("its checkpoint is none");
  const findings: Finding[] = [];
  const say = (what: Finding["what"], detail: string, version: number | null = null): void => {
    findings.push(finding(what, version, detail));
  };
  if (held !== null && held.text !== enclosed.text) {
    say("other-key", "its public key is not the one that you hold");
  }
  const key = held ?? enclosed;
  const signature = await signatureOf(bundle.checkpoint, key);
  if (signature !== "signed" && signature !== "unknown") {
    say("signature-invalid", `its checkpoint is not signed by that key: ${signature}`);
  }
  if (checkpoint.origin !== key.name || checkpoint.origin !== `agentlog/${encode(bundle.tenant)}`) {
    say("other-checkpoint", `its checkpoint is of ${checkpoint.origin}, another log`);
  }
  const chain = withUnmarked(await verifyEvents(GENESIS, bundle, bundle.events));
  if (chain.version !== bundle.version || bundle.events.length === 0) {
    const detail = `it says version ${bundle.version}, its events end with ${chain.version}`;
    say("incomplete", detail, chain.version);
  }
  const { inclusion } = bundle;
  const proof = {
    leaf: await leafHash(fromHex(chain.chain)),
    index: inclusion.leafIndex,
    path: inclusion.path.map(fromBase64),
    ...checkpoint,
  };
  if (inclusion.treeSize !== checkpoint.size || !(await isIncluded(proof))) {
    const detail = "the proof does not lead from the last link to the checkpoint's root";
    say("not-included", detail, chain.version);
  }
  return {
    threadId: bundle.threadId,
    tenant: bundle.tenant,
    version: chain.version,
    size: checkpoint.size,
    publicKey: key.text,
    redacted: chain.redacted,
    findings: [...findings, ...chain.findings],
    isSignatureKnown: signature !== "unknown",
  };
}

function notEvidence(reason: string): Error {
  return new Error(`This is no evidence: ${reason}. agentlog evidence THREAD writes one.`);
}

function parseBundle(text: string): Bundle {
  let bundle: Partial<Bundle> | null;
  try {
    bundle = JSON.parse(text) as Partial<Bundle> | null;
  } catch {
    throw notEvidence("it is not JSON");
  }
  const isOurs =
    bundle?.format === FORMAT &&
    typeof bundle.publicKey === "string" &&
    typeof bundle.checkpoint === "string" &&
    Array.isArray(bundle.events) &&
    Array.isArray(bundle.inclusion?.path);
  if (!isOurs) throw notEvidence(`it has not the format ${FORMAT}`);
  return bundle as Bundle;
}

/** Percent-encoded as the origin of a log is: all but letters, digits and `-._~`. */
function encode(tenant: string): string {
  return encodeURIComponent(tenant).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
