import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useMemo } from "react";
import { Boundary } from "../Boundary";
import { visible } from "../visible/visible";
import { partsOf, withoutFiles } from "./dataUri";
import { LongText } from "./LongText";
import { type Highlighter, useHighlighter } from "./useHighlighter";

/** Characters that are rendered; more than that is shown as plain text. */
const LONGEST = 50_000;

/** The elements that Markdown may produce: no links, no styles, no pictures but those in the text. */
const ALLOWED = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li".split(" "),
    ..."table thead tbody tr th td span img".split(" "),
  ],
  ALLOWED_ATTR: ["title", "start", "align", "class", "src", "alt"],
  ALLOWED_URI_REGEXP: /^data:image\/(?:png|jpeg|gif|webp);base64,/,
};

/** An agent's text as Markdown; it is treated as hostile. Plain where that fails. */
export function Markdown({ text }: { text: string }) {
  const plain = () => <LongText text={text} />;
  if (text.length > LONGEST) return plain();
  return (
    <Boundary of={text} fallback={plain}>
      <Rendered text={text} />
    </Boundary>
  );
}

function Rendered({ text }: { text: string }) {
  const highlight = useHighlighter(text.includes("```"));
  const html = useMemo(() => renderHtml(text, highlight), [text, highlight]);
  if (html === null) return <LongText text={text} />;
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

function parserWith(highlight: Highlighter | null): Marked {
  return new Marked({
    gfm: true,
    breaks: true,
    renderer: {
      // an address is shown as text: the page opens none
      link({ href, text }) {
        const address = href === text ? "" : ` (${href})`;
        return `<span class="address">${escapeHtml(text + address)}</span>`;
      },
      image({ href, text }) {
        const [file] = partsOf(href);
        if (file !== undefined && "uri" in file && file.uri === href) {
          const label = escapeHtml(text === "" ? file.name : text);
          return file.isDrawn ? `<img src="${escapeHtml(href)}" alt="${label}">` : `[${file.name}]`;
        }
        return `<span class="address">${escapeHtml(`[image ${text}: ${href}]`)}</span>`;
      },
      html({ text }) {
        return escapeHtml(text);
      },
      code({ text: whole, lang }) {
        const text = withoutFiles(whole);
        const [language = ""] = (lang ?? "").split(/\s/);
        return `<pre><code>${highlight?.(text, language) ?? escapeHtml(text)}</code></pre>`;
      },
    },
  });
}

function renderHtml(text: string, highlight: Highlighter | null): string | null {
  try {
    // before: the parser of HTML drops what is no character; references are resolved after
    const html = parserWith(highlight).parse(visible(withImages(text)), { async: false });
    return DOMPurify.sanitize(html, ALLOWED);
  } catch (error) {
    if (error instanceof RangeError) return null; // nested deeper than the parser's stack
    throw error;
  }
}

/** A text whose data URIs are images of Markdown, also those that stood there as letters. */
function withImages(text: string): string {
  const parts = partsOf(text).map((part, index, all) => {
    if ("text" in part) return part.text;
    const before = all[index - 1];
    const isImage = before !== undefined && "text" in before && before.text.endsWith("](");
    return isImage ? part.uri : `![](${part.uri})`;
  });
  return parts.join("");
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
