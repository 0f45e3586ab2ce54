import { count } from "../../../parts/format";
import styles from "../state.module.css";
import type { Tokens } from "./useTokens";

const MEANING =
  "Tokens of contents, names, arguments, and of tools and the response format as their JSON, in the encoding o200k_base. Files, and the few tokens that a model adds to each message, are not counted.";

interface TokenTotalProps {
  /** All texts of what is sent; null where they are not counted unless asked for. */
  readonly texts: readonly string[] | null;
  readonly tokens: Tokens;
  readonly isReading: boolean;
  readonly onAsk: () => void;
}

/** How long what is sent is, in tokens. */
export function TokenTotal({ texts, tokens, isReading, onAsk }: TokenTotalProps) {
  if (tokens.hasFailed) {
    return <span className={styles["note"]}>The tokenizer could not be loaded</span>;
  }
  if (texts === null) {
    return (
      <button type="button" disabled={isReading} title={MEANING} onClick={onAsk}>
        {isReading ? "Reading all messages…" : "Count tokens"}
      </button>
    );
  }
  const total = tokens.of(texts);
  if (total === null) {
    const done = texts.filter((text) => tokens.of([text]) !== null).length;
    return (
      <span className={styles["note"]}>
        Counting tokens: {Math.floor((100 * done) / texts.length)} %
      </span>
    );
  }
  return (
    <span className={styles["note"]} title={MEANING}>
      {count(total)} tokens <small>o200k_base</small>
    </span>
  );
}
