/** The bytes of a text in base64; line breaks in it do not count. */
export function bytesIn(base64: string): Uint8Array<ArrayBuffer> {
  const signs = atob(base64);
  const found = new Uint8Array(signs.length);
  for (let index = 0; index < signs.length; index += 1) found[index] = signs.charCodeAt(index);
  return found;
}

/** Decodes UTF-8; other bytes become U+FFFD. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

const HIDDEN = /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}]/gu;

/** A text with its control and direction characters written out, so that none acts or hides. */
export function visible(text: string): string {
  return text.replace(
    HIDDEN,
    (sign) => `⟨U+${sign.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
