import { useMemo } from "react";
import type { Json } from "../api/exact";
import { TerminalText } from "../parts/text/TerminalText";
import { withPictures } from "../parts/text/WithPictures";
import { isFields, jsonIn, partsText } from "../thread/event/contents";
import { distinguishingFirst, glimpseOf } from "./distinguishing";
import styles from "./Glimpse.module.css";

const MOST_LINES = 6;
const LONGEST_LINE = 400;
const LONGEST_TEXT = 1500;

/** The beginning of any value, in a few lines: what distinguishes it first. Nothing in it acts. */
export function Glimpse({ value: payload }: { value: Json }) {
  const value = partsText(payload) ?? payload;
  const parsed = useMemo(() => (typeof value === "string" ? jsonIn(value) : value), [value]);
  if (typeof value === "string" && parsed === null) {
    return (
      <>
        {withPictures(value, (text) => (
          <Beginning text={text} />
        ))}
      </>
    );
  }
  if (Array.isArray(parsed)) {
    const list = parsed as readonly Json[];
    return (
      <pre className="text">
        {list.slice(0, MOST_LINES).map((item) => `${glimpseOf(item, LONGEST_LINE)}\n`)}
        {list.length > MOST_LINES && `… ${list.length - MOST_LINES} more`}
      </pre>
    );
  }
  if (!isFields(parsed)) return <pre className="text">{glimpseOf(parsed, LONGEST_LINE)}</pre>;
  return (
    <dl className={styles["members"]}>
      {distinguishingFirst(parsed)
        .slice(0, MOST_LINES)
        .map(([name, member]) => (
          <div key={name}>
            <dt title={name}>{name}</dt>
            <dd>
              {withPictures(glimpseOf(member, LONGEST_LINE), (text) => (
                <span>{text}</span>
              ))}
            </dd>
          </div>
        ))}
    </dl>
  );
}

function Beginning({ text }: { text: string }) {
  return (
    <pre className="text">
      <TerminalText text={text.slice(0, LONGEST_TEXT)} />
    </pre>
  );
}
