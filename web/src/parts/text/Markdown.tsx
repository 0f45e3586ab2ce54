import DOMPurify from "dompurify";
import { Marked } from "marked";
import { useEffect, useMemo, useState } from "react";

/** Characters that are rendered; more than that is shown as plain text. */
const LONGEST = 50_000;

/** The elements that Markdown may produce: no links, no pictures, no styles. */
const ALLOWED = {
  ALLOWED_TAGS: [
    ..."p br hr h1 h2 h3 h4 h5 h6 strong em del code pre blockquote ul ol li".split(" "),
    ..."table thead tbody tr th td span".split(" "),
  ],
  ALLOWED_ATTR: ["title", "start", "align", "class"],
};

/** An agent's text as Markdown; it is treated as hostile. */
export function Markdown({ text }: { text: string }) {
  const colour = useColour(text);
  const html = useMemo(
    () => (text.length > LONGEST ? null : rendered(text, colour)),
    [text, colour],
  );
  if (html === null) return <div className="text">{text}</div>;
  return <div className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** Returns a text as HTML with its words in spans. */
type Colour = (text: string, language: string) => string;

/** The highlighter, once it is loaded; null for a text without code. */
function useColour(text: string): Colour | null {
  const hasCode = text.includes("```");
  const [colour, setColour] = useState<Colour | null>(null);
  useEffect(() => {
    let wanted = hasCode;
    if (hasCode) {
      void import("./highlight").then(({ highlighted }) => {
        if (wanted) setColour(() => highlighted);
      });
    }
    return () => {
      wanted = false;
    };
  }, [hasCode]);
  return colour;
}

function parserWith(colour: Colour | null): Marked {
  return new Marked({
    gfm: true,
    breaks: true,
    renderer: {
      // an address is shown as text: the page opens none
      link({ href, text }) {
        const address = href === text ? "" : ` (${href})`;
        return `<span class="address">${escaped(text + address)}</span>`;
      },
      image({ href, text }) {
        return `<span class="address">${escaped(`[image ${text}: ${href}]`)}</span>`;
      },
      html({ text }) {
        return escaped(text);
      },
      code({ text, lang }) {
        const [language = ""] = (lang ?? "").split(/\s/);
        return `<pre><code>${colour?.(text, language) ?? escaped(text)}</code></pre>`;
      },
    },
  });
}

function rendered(text: string, colour: Colour | null): string | null {
  try {
    const html = parserWith(colour).parse(text, { async: false });
    return DOMPurify.sanitize(html, ALLOWED);
  } catch (error) {
    if (error instanceof RangeError) return null; // nested deeper than the parser's stack
    throw error;
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
