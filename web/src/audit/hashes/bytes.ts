/** Conversions between bytes and text. */

export type Bytes = Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();

export function utf8(text: string): Bytes {
  return encoder.encode(text);
}

/** Whether the browser hashes on this page: over HTTP it does so on localhost only. */
export function canHash(): boolean {
  return "subtle" in crypto;
}

export async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes: Bytes): string {
  let text = "";
  for (const byte of bytes) text += DIGITS[byte] ?? "";
  return text;
}

/** Bytes of hexadecimal digits; raises a `RangeError` where the text has others. */
export function fromHex(text: string): Bytes {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new RangeError(`not hexadecimal: ${text.slice(0, 80)}`);
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(text.slice(2 * i, 2 * i + 2), 16);
  return bytes;
}

/** Bytes of base64; raises a `RangeError` unless it is written as RFC 4648, section 4, has it. */
export function fromBase64(text: string): Bytes {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    throw new RangeError(`not base64: ${text.slice(0, 80)}`);
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function isSame(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
