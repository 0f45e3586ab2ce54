import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { pieces } from "./pieces";
import styles from "./LongText.module.css";

/** Texts of fewer characters are laid out by the browser, without a window. */
const SHORT = 20_000;
/** About how many characters a line has room for. */
const LINE = 80;

/** A plain text of any length; of long texts only the lines in sight are drawn. */
export function LongText({ text }: { text: string }) {
  return text.length <= SHORT ? <pre className="text">{text}</pre> : <Windowed text={text} />;
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
            {lines[row.index] === "" ? "\n" : lines[row.index]}
          </pre>
        ))}
      </div>
    </div>
  );
}
