/** The bytes of a text in base64; line breaks in it do not count. */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  const signs = atob(base64);
  const bytes = new Uint8Array(signs.length);
  for (let index = 0; index < signs.length; index += 1) bytes[index] = signs.charCodeAt(index);
  return bytes;
}

/** Decodes UTF-8; other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
