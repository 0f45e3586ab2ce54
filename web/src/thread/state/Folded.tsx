import { useState } from "react";
import { countOf } from "../../parts/format";
import { LongText } from "../../parts/text/LongText";
import styles from "./state.module.css";

const MOST_LINES = 6;
const MOST_CHARACTERS = 480;

interface FoldedProps {
  readonly text: string;
  readonly label: string;
  /** Whether it is code, and not prose. */
  readonly code?: boolean;
}

/** A text of which a few lines show until more is asked for. */
export function Folded({ text, label, code = false }: FoldedProps) {
  const [isOpen, setOpen] = useState(false);
  const beginning = beginningOf(text);
  const left = text.length - beginning.length;
  const way = isOpen ? "Less" : countOf(left, "more character");
  return (
    <div className={code ? styles["code"] : undefined}>
      {isOpen ? <LongText text={text} /> : <pre className="text">{beginning}</pre>}
      {left > 0 && (
        <button
          type="button"
          className={`quiet ${styles["more"] ?? ""}`}
          aria-expanded={isOpen}
          aria-label={`${way} of ${label}`}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {way}
        </button>
      )}
    </div>
  );
}

function beginningOf(text: string): string {
  let end = -1;
  for (let line = 0; line < MOST_LINES; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end < 0 || end > MOST_CHARACTERS) break;
  }
  const beginning = text.slice(0, end < 0 || end > MOST_CHARACTERS ? MOST_CHARACTERS : end);
  // a button would be longer than a word or two
  return text.length - beginning.length < 80 && !text.slice(beginning.length + 1).includes("\n")
    ? text
    : beginning;
}
