import { useMemo } from "react";
import { Boundary } from "../Boundary";
import { useHighlighter } from "./useHighlighter";

/** Characters that are coloured; a longer text is shown plain. */
const LONGEST = 30_000;

interface CodeProps {
  readonly text: string;
  readonly language: string;
}

/** Highlighted code; plain until the highlighter is loaded, or where it fails. */
export function Code({ text, language }: CodeProps) {
  return (
    <Boundary of={text} fallback={() => <pre className="code">{text}</pre>}>
      <Highlighted text={text} language={language} />
    </Boundary>
  );
}

function Highlighted({ text, language }: CodeProps) {
  const highlight = useHighlighter(text.length <= LONGEST);
  const html = useMemo(() => highlight?.(text, language) ?? null, [highlight, text, language]);
  if (html === null) return <pre className="code">{text}</pre>;
  return <pre className="code" dangerouslySetInnerHTML={{ __html: html }} />;
}
