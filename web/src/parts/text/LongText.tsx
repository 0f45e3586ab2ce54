import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useFoundTexts } from "./found";
import { pieces } from "./pieces";
import styles from "./LongText.module.css";
import { TerminalText } from "./TerminalText";
import { withPictures } from "./WithPictures";

/** Texts of fewer characters are laid out by the browser, without a window. */
const SHORT = 20_000;
/** About how many characters a line has room for. */
const LINE = 80;

/** A plain text of any length; of long texts only the lines in sight are drawn. */
export function LongText({ text }: { text: string }) {
  return (
    <>
      {withPictures(text, (letters) => (
        <Letters text={letters} />
      ))}
    </>
  );
}

function Letters({ text }: { text: string }) {
  if (text.length > SHORT) return <Windowed text={text} />;
  return (
    <pre className="text">
      <TerminalText text={text} />
    </pre>
  );
}

function Windowed({ text }: { text: string }) {
  const lines = useMemo(() => pieces(text), [text]);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => 19 * (1 + Math.floor((lines[index]?.length ?? 0) / LINE)),
    overscan: 10,
  });
  const hitTexts = useFoundTexts();
  useEffect(() => {
    const first = lines.findIndex((line) => hasAny(line.toLowerCase(), hitTexts));
    if (first >= 0) rows.scrollToIndex(first, { align: "center" });
  }, [rows, lines, hitTexts]);
  return (
    <div ref={scroller} className={styles["scroller"]} tabIndex={0} role="region" aria-label="Text">
      <div className={styles["all"]} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map((row) => (
          <pre
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            className={styles["line"]}
            style={{ transform: `translateY(${row.start}px)` }}
          >
            <TerminalText text={lines[row.index] || "\n"} />
          </pre>
        ))}
      </div>
    </div>
  );
}

function hasAny(line: string, texts: readonly string[]): boolean {
  return texts.some((text) => line.includes(text));
}
