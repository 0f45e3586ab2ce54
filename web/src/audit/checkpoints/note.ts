import { type Bytes, fromBase64, isSame, sha256, toHex, utf8 } from "../hashes/bytes";

/** Checkpoints as signed notes (c2sp.org/signed-note, c2sp.org/tlog-checkpoint). */

export interface VerifierKey {
  readonly text: string;
  readonly name: string;
  /** The 4 bytes by which a signature names the key. */
  readonly id: Bytes;
  /** 32 bytes of Ed25519. */
  readonly publicKey: Bytes;
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

/** `signed`, or why not; `unknown` where the browser has no Ed25519. */
export type Signature = "signed" | "changed" | "other key" | "unsigned" | "unknown";

const ED25519 = 1;
const ID_BYTES = 4;

/** Reads `NAME+ID+KEY`; null where the text is no public key of a log. */
export async function parseKey(text: string): Promise<VerifierKey | null> {
  const parts = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim());
  if (parts === null) return null;
  const [whole, name = "", id = "", encoded = ""] = parts;
  try {
    const bytes = fromBase64(encoded);
    if (bytes.length !== 33 || bytes[0] !== ED25519) return null;
    const digest = await sha256(Uint8Array.from([...utf8(`${name}\n`), ...bytes]));
    const keyId = digest.slice(0, ID_BYTES);
    if (toHex(keyId) !== id) return null;
    return { text: whole, name, id: keyId, publicKey: bytes.slice(1) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Parses a note; null where it is no checkpoint. The signature is not verified here. */
export function parseCheckpoint(note: string): Checkpoint | null {
  const [origin = "", size = "", root = ""] = note.split("\n");
  if (origin === "" || !/^(0|[1-9]\d{0,15})$/.test(size)) return null;
  try {
    const bytes = fromBase64(root);
    return bytes.length === 32 ? { origin, size: Number(size), root: bytes } : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Whether the key has signed the note; signatures of others are ignored. */
export async function signatureOf(note: string, key: VerifierKey): Promise<Signature> {
  const end = note.lastIndexOf("\n\n");
  if (end < 0) return "unsigned";
  const signatures = note
    .slice(end + 2)
    .split("\n")
    .filter((line) => line.startsWith(`— ${key.name} `))
    .map((line) => signatureIn(line))
    .filter((bytes) => bytes !== null && isSame(bytes.slice(0, ID_BYTES), key.id));
  if (signatures.length === 0) return "other key";
  let imported: CryptoKey;
  try {
    imported = await crypto.subtle.importKey("raw", key.publicKey, "Ed25519", false, ["verify"]);
  } catch (error) {
    if (error instanceof DOMException && error.name === "NotSupportedError") return "unknown";
    throw error;
  }
  const text = utf8(note.slice(0, end + 1));
  for (const signature of signatures) {
    const bytes = (signature ?? new Uint8Array()).slice(ID_BYTES);
    if (!(await crypto.subtle.verify("Ed25519", imported, bytes, text))) return "changed";
  }
  return "signed";
}

function signatureIn(line: string): Bytes | null {
  try {
    return fromBase64(line.slice(line.lastIndexOf(" ") + 1));
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
