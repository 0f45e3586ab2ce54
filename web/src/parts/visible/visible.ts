/** Control, direction and other characters without a glyph; not line breaks, tabs, and joiners. */
const HIDDEN =
  /(?![\t\n\r])[\p{Cc}\p{Bidi_Control}\u2028\u2029\u200b\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** A text with its hidden characters written out, so that none acts or hides. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (sign) => {
    const digits = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `⟨U+${digits}⟩`;
  });
}
