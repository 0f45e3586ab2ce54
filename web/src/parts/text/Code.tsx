import { useEffect, useState } from "react";

/** Characters that are coloured; a longer text is shown plain. */
const LONGEST = 30_000;

/** Highlighted code; plain until the highlighter is loaded. */
export function Code({ text, language }: { text: string; language: string }) {
  const [coloured, setColoured] = useState({ text: "", html: "" });
  useEffect(() => {
    let wanted = true;
    if (text.length <= LONGEST) {
      void import("./highlight").then(({ highlighted }) => {
        if (wanted) setColoured({ text, html: highlighted(text, language) });
      });
    }
    return () => {
      wanted = false;
    };
  }, [text, language]);
  if (coloured.text !== text) return <pre className="code">{text}</pre>;
  return <pre className="code" dangerouslySetInnerHTML={{ __html: coloured.html }} />;
}
