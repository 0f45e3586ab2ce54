import { noop } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** Returns a text as HTML with its words in spans. */
export type Highlighter = (text: string, language: string) => string;

/** The highlighter, once it is loaded; null until then, and where there is no code. */
export function useHighlighter(hasCode: boolean): Highlighter | null {
  const [highlighter, setHighlighter] = useState<Highlighter | null>(null);
  useEffect(() => {
    let isWanted = hasCode;
    if (hasCode) {
      import("./highlight").then(({ highlightHtml }) => {
        if (isWanted) setHighlighter(() => highlightHtml);
      }, noop); // code without colours can be read too
    }
    return () => {
      isWanted = false;
    };
  }, [hasCode]);
  return highlighter;
}
